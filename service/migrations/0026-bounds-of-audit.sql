-- tolerated by releases from 25
-- Vacuum early where rows are updated or deleted all the time, also on a server with the settings of PostgreSQL: by default it
-- waits until a fifth of the rows are dead.
alter table events set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
alter table webhook_deliveries set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
alter table idempotency_keys set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
alter table notifications set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
alter table duplicate_checks set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
alter table renewal_checks set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
alter table import_rows set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
alter table import_results set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
alter table applicants set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
alter table cases set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
alter table case_steps set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
alter table documents set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
alter table expiries set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- First of three steps to an audit in partitions by month, docs/decisions/0037: all entries of the table are from before a
-- month that is two to three months ahead, so that it can become the first partition without being read again. The next
-- migration verifies what is there already. The day is kept in the comment of the constraint.
do $$
declare
  parent text;
  ending constant timestamp := date_trunc('month', now() at time zone 'UTC') + interval '3 months';
begin
  foreach parent in array array['audit', 'audit_records'] loop
    execute format('alter table %I add constraint before_partitions check (at < %L::timestamptz) not valid',
      parent, ending || 'Z');
    -- Requests wait for the first table while the second one is waited for.
    perform set_config('lock_timeout', '500ms', true);
    execute format('comment on constraint before_partitions on %I is %L', parent, ending || 'Z');
  end loop;
end
$$;

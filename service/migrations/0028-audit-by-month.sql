-- tolerated by releases from 25
-- The audit in partitions by month, so that old entries are removed by dropping tables. The table that there was becomes the
-- first partition; no row is read or moved.

-- The partitions of a table, without a begin or an end for the first and the default one.
create function audit_partitions(parent regclass)
returns table (name text, starts_at timestamptz, ends_at timestamptz, is_default boolean)
language sql stable set timezone = 'UTC' set datestyle = 'ISO, MDY' as $$
  select c.relname::text, substring(b.bounds from 'FROM \(''([^'']+)''\)')::timestamptz,
    substring(b.bounds from 'TO \(''([^'']+)''\)')::timestamptz, b.bounds = 'DEFAULT'
  from pg_catalog.pg_inherits i
  join pg_catalog.pg_class c on c.oid = i.inhrelid
  cross join lateral (select pg_catalog.pg_get_expr(c.relpartbound, c.oid) as bounds) b
  where i.inhparent = parent
$$;

-- A trigger of the parent is not asked by a statement on one of its partitions. Entries are never updated: a vacuum that
-- freezes all of them at once is the last one that a month needs.
create function audit_protect(name text) returns void language plpgsql as $$
begin
  execute format('create trigger append_only before update or delete or truncate on public.%I
    for each statement execute function public.audit_is_append_only()', name);
  execute format('alter table public.%I set (autovacuum_vacuum_insert_scale_factor = 0.05,
    autovacuum_freeze_min_age = 0)', name);
end
$$;

-- Makes the partition of a month, with the entries of this month that are in the default partition already. Attaching a
-- table waits for readers, but not for writers, and writers do not wait for it.
create function audit_add_partition(parent text, starts_at timestamptz) returns void language plpgsql as $$
declare
  name constant text := parent || to_char(starts_at at time zone 'UTC', '_YYYY_MM');
  rest constant text := parent || '_default';
  ends_at constant timestamptz := (starts_at at time zone 'UTC' + interval '1 month') at time zone 'UTC';
  found_early boolean;
begin
  execute format('create table public.%I (like public.%I including defaults including storage)', name, parent);
  execute format('select exists (select from public.%I where at >= %L and at < %L)', rest, starts_at, ends_at)
    into found_early;
  if found_early then
    execute format('alter table public.%I disable trigger append_only', rest);
    execute format('with moved as (delete from public.%I where at >= %L and at < %L returning *)
      insert into public.%I select * from moved', rest, starts_at, ends_at, name);
    execute format('alter table public.%I enable trigger append_only', rest);
  end if;
  perform public.audit_protect(name);
  execute format('alter table public.%I attach partition public.%I for values from (%L) to (%L)',
    parent, name, starts_at, ends_at);
end
$$;

-- Makes the partitions of this month and the next three where they are missing, and returns their number. The role of the
-- service may call it, and can make no other table.
create function audit_add_partitions() returns integer language plpgsql security definer
set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
declare
  missing record;
  made integer := 0;
begin
  -- 7227026 is used for nothing else.
  perform pg_advisory_xact_lock(7227026);
  for missing in
    select t.parent, m.starts_at
    from (values ('audit'), ('audit_records')) t (parent)
    cross join (
      select (date_trunc('month', now() at time zone 'UTC') + n * interval '1 month') at time zone 'UTC' as starts_at
      from generate_series(0, 3) n
    ) m
    where not exists (
      select from public.audit_partitions(format('public.%I', t.parent)::regclass) p
      where not p.is_default and coalesce(p.starts_at, '-infinity') <= m.starts_at and m.starts_at < p.ends_at)
    order by m.starts_at, t.parent
  loop
    perform public.audit_add_partition(missing.parent, missing.starts_at);
    made := made + 1;
  end loop;
  return made;
end
$$;

-- What was removed at the begin of the chain. The chain is verified from the last of these rows on.
create table audit_anchors (
  removed_at timestamptz(3) primary key default now(),
  -- entries from before this time were removed
  removed_before timestamptz(3) not null,
  -- how many
  entries bigint not null,
  -- the last block that was removed, where it ended, and its hash; block -1 where none was removed
  block bigint not null,
  to_xid bigint not null,
  to_seq bigint not null,
  hash bytea not null,
  -- entries of removed blocks that stayed, because their time is later, with the SHA-256 of the SHA-256 of each
  remaining bigint not null,
  remaining_hash bytea not null,
  -- entries of releases before the chain that stayed
  earlier bigint not null
);

create trigger append_only before update or delete or truncate on audit_anchors
  for each statement execute function audit_is_append_only();

do $$
declare
  parent text;
  first text;
  found record;
  changed record;
  indexes text[];
  numbers text;
  next_number bigint;
  ending timestamptz;
  is_empty boolean;
  path constant text := current_setting('search_path');
begin
  -- From here on requests wait. Further locks are waited for only briefly; the migration is retried.
  lock table public.audit in access exclusive mode;
  perform set_config('lock_timeout', '500ms', true);
  lock table public.audit_records in access exclusive mode;

  -- Definitions have qualified names. The views get the new tables at the end.
  perform set_config('search_path', 'pg_catalog', true);
  create temporary table audit_views on commit drop as
    select distinct format('%I.%I', n.nspname, v.relname) as name, pg_get_viewdef(v.oid) as definition
    from pg_depend d
    join pg_rewrite r on r.oid = d.objid
    join pg_class v on v.oid = r.ev_class and v.relkind = 'v'
    join pg_namespace n on n.oid = v.relnamespace
    where d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_class'::regclass
      and d.refobjid in ('public.audit'::regclass, 'public.audit_records'::regclass);

  foreach parent in array array['audit', 'audit_records'] loop
    first := parent || '_first';
    execute format('select not exists (select from public.%I)', parent) into is_empty;
    select case when is_empty then date_trunc('month', now() at time zone 'UTC') at time zone 'UTC'
      else obj_description(c.oid, 'pg_constraint')::timestamptz end
      into ending
    from pg_constraint c where c.conrelid = format('public.%I', parent)::regclass and c.conname = 'before_partitions';

    select array_agg(pg_get_indexdef(indexrelid)) into indexes
    from pg_index where indrelid = format('public.%I', parent)::regclass;
    for found in
      select i.indexrelid::regclass::text as name, c.relname
      from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = format('public.%I', parent)::regclass
    loop
      execute format('alter index %s rename to %I', found.name, found.relname || '_first');
    end loop;
    execute format('alter table public.%I rename to %I', parent, first);
    execute format('drop trigger %I on public.%I', parent || '_append_only', first);
    perform public.audit_protect(first);

    -- A partition has no numbers of its own.
    numbers := pg_get_serial_sequence(format('public.%I', first), 'seq');
    if numbers is not null then
      execute format('select last_value + case when is_called then 1 else 0 end from %s', numbers) into next_number;
      execute format('alter table public.%I alter column seq drop identity', first);
    end if;
    execute format('create table public.%I (like public.%I including defaults including storage)
      partition by range (at)', parent, first);
    if numbers is not null then
      execute format('alter table public.%I alter column seq add generated always as identity (start with %s)',
        parent, next_number);
    end if;
    -- Equal indexes of a table that is attached become partitions of these.
    for found in select unnest(indexes) as definition loop
      execute found.definition;
    end loop;
    for found in
      select acl.privilege_type as privilege, case when acl.grantee = 0 then 'public' else acl.grantee::regrole::text end
        as grantee
      from pg_class c cross join lateral aclexplode(c.relacl) acl
      where c.oid = format('public.%I', first)::regclass and acl.grantee <> c.relowner
    loop
      execute format('grant %s on public.%I to %s', found.privilege, parent, found.grantee);
    end loop;
    execute format('create trigger append_only before update or delete or truncate on public.%I
      for each statement execute function public.audit_is_append_only()', parent);
    execute format('alter table public.%I attach partition public.%I for values from (minvalue) to (%L)',
      parent, first, ending);
    execute format('alter table public.%I drop constraint before_partitions', first);
    -- Nothing is ever rejected because a partition is missing.
    execute format('create table public.%I partition of public.%I default', parent || '_default', parent);
    perform public.audit_protect(parent || '_default');
  end loop;

  for changed in select name, definition from audit_views loop
    execute format('create or replace view %s as %s', changed.name, changed.definition);
  end loop;
  perform set_config('search_path', path, true);
  perform public.audit_add_partitions();
end
$$;

-- The audit names the person, the address, the operation and the outcome of a request, has the fields that a change has
-- changed, and cannot be altered unnoticed. Old entries keep their place; columns that they lack are null.

alter table audit
  -- null for a client
  add column user_id text collate "C",
  add column user_name text,
  -- of the caller; null for work of the service itself
  add column address text,
  add column method text,
  add column operation_id text,
  -- all records of an entry about several; `record_id` is the first of them. Null for one record, or none
  add column record_ids text[],
  -- ok, refused, failed
  add column outcome text not null default 'ok',
  -- of the response; null for work of the service itself
  add column status smallint,
  -- the code of an error
  add column code text,
  -- the companies that the caller was limited to
  add column companies text[],
  -- [{ pointer, before, after }], as sent: json, because jsonb would order its members anew
  add column changes json,
  -- the transaction that wrote the entry; 0 for entries of earlier releases, which are in no block of the chain
  add column xid bigint not null default 0;

-- Transaction ids grow, but a dump that is restored into another server finds a smaller counter there. The offset is raised
-- then, so that ids of the column always grow: audit_align_xids.
create function audit_xid_offset() returns bigint language sql stable as 'select 0::bigint';

alter table audit alter column xid set default pg_current_xact_id()::text::bigint + audit_xid_offset();

create index audit_in_chain_order on audit (xid) where xid > 0;
create index audit_of_user on audit (user_id, at, seq) where user_id is not null;
create index audit_not_ok on audit (at, seq) where outcome <> 'ok';

-- The second and all further records of an entry about several, so that the entry is found by each of them.
create table audit_records (
  record_id text collate "C" not null,
  at timestamptz(3) not null,
  seq bigint not null
);

create index audit_records_of_record on audit_records (record_id, at, seq);

-- Entries about several records, once for each record of audit_records.
create view audit_of_further_records as
  select r.record_id, r.at, r.seq, a.client_id, a.user_id, a.user_name, a.address, a.method, a.operation_id,
    a.request_id, a.action, a.record_ids, a.outcome, a.status, a.code, a.companies, a.changes
  from audit_records r join audit a on a.at = r.at and a.seq = r.seq;

-- Blocks of entries, each with the hash of all before it. Entries are in order of (xid, seq). A block has those from
-- (from_xid, from_seq), excluded, to (to_xid, to_seq), included.
-- hash = SHA-256 (hash of the block before, then the SHA-256 of each entry's text).
create table audit_chain (
  block bigint primary key,
  from_xid bigint not null,
  from_seq bigint not null,
  to_xid bigint not null,
  to_seq bigint not null,
  entries bigint not null,
  seqs bigint[] not null,
  -- the first 8 bytes of the SHA-256 of each entry, to tell which one was altered
  digests bytea not null,
  hash bytea not null,
  chained_at timestamptz(3) not null default now()
);

-- The first block stands for the entries of earlier releases, of which it keeps the number.
insert into audit_chain (block, from_xid, from_seq, to_xid, to_seq, entries, seqs, digests, hash)
select 0, 0, 0, 1, 0, count(*), '{}', '', sha256(convert_to('caseport audit ' || count(*), 'UTF8')) from audit;

-- Appends one block with at most this many entries, and returns their number. Entries of a transaction that still runs, and
-- of all that began after it, wait for the next block: no entry commits into a block that is there already.
create function audit_extend_chain(most integer) returns bigint language plpgsql
set timezone = 'UTC' set datestyle = 'ISO, MDY' set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  last record;
  horizon bigint;
  chained bigint;
begin
  -- 7227016 is used for nothing else. Without the lock, another service is at it.
  if not pg_try_advisory_xact_lock(7227016) then
    return 0;
  end if;
  horizon := pg_snapshot_xmin(pg_current_snapshot())::text::bigint + audit_xid_offset();
  select c.block, c.to_xid, c.to_seq, c.hash into last from audit_chain c order by c.block desc limit 1;
  -- The limit is inside, so that only the entries of the block are hashed. They stay in its order, so that the aggregates
  -- need not sort them again.
  with entry as (
    select a.xid, a.seq, sha256(convert_to(row(a.xid, a.seq, a.at, a.client_id, a.user_id, a.user_name, a.address,
      a.method, a.operation_id, a.request_id, a.action, a.record_id, a.record_ids, a.outcome, a.status, a.code,
      a.companies, a.changes)::text, 'UTF8')) as digest
    from (
      select * from audit
      where xid > 0 and xid >= last.to_xid and xid < horizon and (xid, seq) > (last.to_xid, last.to_seq)
      order by xid, seq
      limit most
    ) a
  ), content as (
    select count(*) as entries, array_agg(seq) as seqs, max(xid) as last_xid,
      string_agg(substr(digest, 1, 8), '') as digests, string_agg(digest, '') as whole
    from entry
  )
  insert into audit_chain (block, from_xid, from_seq, to_xid, to_seq, entries, seqs, digests, hash)
  -- With fewer entries than there could be, there are no others before the horizon.
  select last.block + 1, last.to_xid, last.to_seq, case when entries < most then horizon else last_xid end,
    case when entries < most then 0 else seqs[entries::integer] end, entries, seqs, digests, sha256(last.hash || whole)
  from content
  where entries > 0
  returning entries into chained;
  return coalesce(chained, 0);
end
$$;

-- To be called by the owner before a service writes: raises the offset where the transaction counter is behind the entries.
create function audit_align_xids() returns void language plpgsql as $$
declare
  used bigint := greatest(
    (select max(a.xid) from audit a where a.xid > 0),
    (select c.to_xid from audit_chain c order by c.block desc limit 1)
  );
  counter bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
begin
  if used > counter + audit_xid_offset() then
    execute format(
      'create or replace function audit_xid_offset() returns bigint language sql stable as %L',
      format('select %s::bigint', used - counter + 1)
    );
  end if;
end
$$;

create function audit_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'The audit is append-only: % of % is not possible.', tg_op, tg_table_name using errcode = '42501';
end
$$;

create trigger audit_append_only before update or delete or truncate on audit
  for each statement execute function audit_is_append_only();
create trigger audit_records_append_only before update or delete or truncate on audit_records
  for each statement execute function audit_is_append_only();
create trigger audit_chain_append_only before update or delete or truncate on audit_chain
  for each statement execute function audit_is_append_only();

-- What every write leaves behind: who did it, what others are told of it, and the answer to a repeated request.

create table audit (
  seq bigint generated always as identity primary key,
  at timestamptz(3) not null,
  client_id text not null,
  action text not null,
  record_id text collate "C" not null,
  request_id text not null
);

create index audit_of_record on audit (record_id, at, seq);
create index audit_by_time on audit (at, seq);

create table events (
  seq bigint generated always as identity primary key,
  event_id text collate "C" not null unique,
  type text not null,
  -- events of one record are delivered in order
  record_id text collate "C" not null,
  -- ids only, never personal data
  data jsonb not null,
  occurred_at timestamptz(3) not null,
  trace_id text
);

create table idempotency_keys (
  client_id text not null,
  key text not null,
  -- SHA-256 of method, path and body
  fingerprint bytea not null,
  status integer not null,
  headers jsonb not null,
  body text not null,
  created_at timestamptz(3) not null,
  primary key (client_id, key)
);

create index idempotency_keys_by_age on idempotency_keys (created_at);

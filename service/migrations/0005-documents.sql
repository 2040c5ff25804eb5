-- Files of documents, renewal notifications, and webhooks.

alter table documents
  add column type text,
  add column seq bigint generated always as identity,
  add constraint documents_case_fkey foreign key (case_id) references cases;

create index documents_updated on documents (updated_at, seq);
-- Listed by its creation only where it was changed after the range: most documents are never changed.
create index documents_changed_later on documents (created_at, seq) include (updated_at) where updated_at > created_at;
create index documents_of_case on documents (case_id) where case_id is not null;
create index documents_of_person on documents (applicant_id);
create index documents_to_remind on documents (expiry_date) where remind_about_renewal and expiry_date is not null;

-- A document that has a file. Where the bytes lie follows from the country code; the key says nothing about them.
create table document_files (
  document_id text collate "C" primary key references documents,
  country_code text not null,
  blob_key text collate "C" not null unique,
  file_name text not null,
  content_type text not null,
  size bigint not null,
  sha256 text not null,
  -- SHA-256 of each MiB, so that any part of the file can be checked before it is sent
  block_hashes bytea not null,
  created_at timestamptz(3) not null
);

-- Stands here from before the first byte is stored until the document is committed. What is left after a crash is swept.
create table pending_uploads (
  blob_key text collate "C" primary key,
  country_code text not null,
  alive_at timestamptz(3) not null
);

create index pending_uploads_by_age on pending_uploads (alive_at);

-- One for each rung of a document's ladder, once.
create table notifications (
  notification_id text collate "C" primary key,
  document_id text collate "C" not null references documents on delete cascade,
  -- the expiry that this ladder counts down to; another expiry is another ladder
  expiry_date date not null,
  rung text not null,
  due_on date not null,
  state text not null check (state in ('pending', 'sent', 'recorded', 'failed')),
  attempts integer not null default 0,
  next_attempt_at timestamptz(3),
  last_error text,
  created_at timestamptz(3) not null,
  sent_at timestamptz(3),
  seq bigint generated always as identity,
  constraint notifications_once unique (document_id, expiry_date, rung)
);

create index notifications_to_send on notifications (next_attempt_at) where state = 'pending';
create index notifications_by_time on notifications (created_at, seq);

alter table events add column dispatched_at timestamptz(3);
create index events_to_dispatch on events (seq) where dispatched_at is null;
create index events_by_time on events (occurred_at, seq);

create table webhooks (
  webhook_id text collate "C" primary key,
  url text not null,
  description text not null,
  -- every type, where it is empty
  event_types text[] not null,
  secret text not null,
  active boolean not null default true,
  disabled_reason text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create table webhook_deliveries (
  seq bigint generated always as identity primary key,
  delivery_id text collate "C" not null unique,
  webhook_id text collate "C" not null references webhooks on delete cascade,
  event_seq bigint not null references events,
  -- deliveries about one record go out in order
  record_id text collate "C" not null,
  state text not null check (state in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  next_attempt_at timestamptz(3),
  last_status integer,
  last_error text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create index webhook_deliveries_due on webhook_deliveries (next_attempt_at) where state = 'pending';
create index webhook_deliveries_order on webhook_deliveries (webhook_id, record_id, seq) where state = 'pending';
create index webhook_deliveries_of_webhook on webhook_deliveries (webhook_id, created_at, seq);

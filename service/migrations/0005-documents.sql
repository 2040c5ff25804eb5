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

-- When a document with reminders is to be looked at next: the day of its next rung. The worker reads what has come due
-- and nothing else; the trigger sets the date back whenever something that decides the ladder has changed.
create table renewal_checks (
  document_id text collate "C" primary key references documents on delete cascade,
  check_on date not null,
  -- the default ladder that the day was worked out with
  ladder text not null
);

create index renewal_checks_due on renewal_checks (check_on);

create function check_renewal() returns trigger language plpgsql as $$
begin
  if new.remind_about_renewal and new.expiry_date is not null then
    insert into renewal_checks (document_id, check_on, ladder) values (new.document_id, '-infinity', '')
    on conflict (document_id) do update set check_on = excluded.check_on;
  else
    delete from renewal_checks where document_id = new.document_id;
  end if;
  return null;
end
$$;

create trigger documents_check_renewal_insert
  after insert on documents
  for each row when (new.remind_about_renewal and new.expiry_date is not null)
  execute function check_renewal();

create trigger documents_check_renewal_update
  after update of expiry_date, remind_about_renewal, expiry_reminder on documents
  for each row when (
    (new.expiry_date, new.remind_about_renewal, new.expiry_reminder)
    is distinct from (old.expiry_date, old.remind_about_renewal, old.expiry_reminder))
  execute function check_renewal();

insert into renewal_checks (document_id, check_on, ladder)
select document_id, '-infinity', '' from documents where remind_about_renewal and expiry_date is not null;

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
  -- still good, beside the new one, until then
  previous_secret text,
  previous_secret_until timestamptz(3),
  active boolean not null default true,
  disabled_reason text,
  version integer not null default 1,
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

create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at, seq) where state = 'pending';
create index webhook_deliveries_order on webhook_deliveries (webhook_id, record_id, seq) where state = 'pending';
create index webhook_deliveries_of_webhook on webhook_deliveries (webhook_id, created_at, seq);

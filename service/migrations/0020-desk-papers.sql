-- Documents at the desk: corrections, removals with a reason, files for a person, versions of files, checklists of cases,
-- reminders of passports, calendars of people.

alter table documents
  -- uploaded for the person: it has no case and is no item of the applicant record, so that no PUT of the record removes it
  add column beside_record boolean not null default false,
  -- set by a removal at the desk; null where the writer of the record left the document out
  add column removed_by text,
  add column removal_reason text,
  -- a document of a record that was corrected at the desk: the item as the writer of the record had sent it
  add column as_sent jsonb;

create index documents_corrected on documents (applicant_id) where as_sent is not null and removed_at is null;

alter table document_files add column file_version integer not null default 1;

-- Versions of files before the current one. Their bytes stay where they are.
create table former_files (
  document_id text collate "C" not null references documents,
  file_version integer not null,
  country_code text not null,
  blob_key text collate "C" not null unique,
  file_name text not null,
  content_type text not null,
  size bigint not null,
  sha256 text not null,
  block_hashes bytea not null,
  uploaded_by text,
  created_at timestamptz(3) not null,
  replaced_at timestamptz(3) not null,
  company_set_id integer,
  primary key (document_id, file_version)
);

create trigger former_files_place
  before insert on former_files
  for each row execute function place_part_of_document();

create function move_former_files() returns trigger language plpgsql as $$
begin
  update public.former_files set company_set_id = new.company_set_id where document_id = new.document_id;
  return null;
end
$$;

create trigger documents_move_former_files
  after update on documents
  for each row when (new.company_set_id is distinct from old.company_set_id)
  execute function move_former_files();

-- A removed document gives back the bytes of its former files too.
create function count_former_usage() returns trigger language plpgsql as $$
begin
  update public.upload_usage u
  set bytes = u.bytes + case when new.removed_at is null then f.bytes else -f.bytes end
  from (
    select uploaded_by, sum(size)::bigint as bytes from public.former_files
    where document_id = new.document_id and uploaded_by is not null
    group by uploaded_by
  ) f
  where u.client_id = f.uploaded_by;
  return null;
end
$$;

create trigger documents_former_usage
  after update of removed_at on documents
  for each row when ((old.removed_at is null) <> (new.removed_at is null))
  execute function count_former_usage();

-- The checklist of a case, once it was saved. A case without one has that of its process.
create table case_checklists (
  case_id text collate "C" primary key references cases,
  -- [{ name, type, required, documentId, accepted: { at, by, fileVersion } or null }]
  items json not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  company_set_id integer
);

create trigger case_checklists_place
  before insert on case_checklists
  for each row execute function place_part_of_case();

create function move_checklist() returns trigger language plpgsql as $$
begin
  update public.case_checklists set company_set_id = new.company_set_id where case_id = new.case_id;
  return null;
end
$$;

create trigger cases_move_checklist
  after update of host_company_id, sending_company_id, billing_company_id on cases
  for each row when (new.company_set_id is distinct from old.company_set_id)
  execute function move_checklist();

-- Notifications are about a document or a passport, once for each expiry date and rung.
alter table notifications
  alter column document_id drop not null,
  add column applicant_id text collate "C" references applicants,
  add column passport_id text collate "C",
  add constraint notifications_subject check (
    (document_id is null) <> (passport_id is null) and (passport_id is null) = (applicant_id is null));

create unique index notifications_passport_once on notifications (passport_id, expiry_date, rung)
  where passport_id is not null;
create index notifications_of_applicant on notifications (applicant_id) where applicant_id is not null;

create function place_notification() returns trigger language plpgsql as $$
begin
  if new.document_id is null then
    select a.company_set_id into new.company_set_id from public.applicants a where a.applicant_id = new.applicant_id;
  else
    select d.company_set_id into new.company_set_id from public.documents d where d.document_id = new.document_id;
  end if;
  return new;
end
$$;

drop trigger notifications_place on notifications;
create trigger notifications_place
  before insert on notifications
  for each row execute function place_notification();

create function move_passport_notifications() returns trigger language plpgsql as $$
begin
  update public.notifications set company_set_id = new.company_set_id where applicant_id = new.applicant_id;
  return null;
end
$$;

create trigger applicants_move_passport_notifications
  after update on applicants
  for each row when (new.company_set_id is distinct from old.company_set_id)
  execute function move_passport_notifications();

-- How far the walk through all passports has come on its day. One row, which services lock in turn.
create table passport_walk (
  only_row boolean primary key default true check (only_row),
  walked_on date not null,
  ladder text not null,
  -- the last applicant of the last batch; null once the walk of the day is finished
  after_id text collate "C"
);

insert into passport_walk (walked_on, ladder, after_id) values ('-infinity', '', null);

-- The calendar that a person subscribes to.
create table calendar_feeds (
  user_id text collate "C" primary key references users on delete cascade,
  -- SHA-256 of the random token in the address
  token_hash bytea not null,
  created_at timestamptz(3) not null,
  constraint calendar_feeds_token unique (token_hash)
);

-- What is assigned to a person.
create index cases_of_assignee on cases (assignee_id) where assignee_id is not null and status <> 'closed';
create index case_steps_of_assignee on case_steps (assignee_id)
  where assignee_id is not null and status in ('notStarted', 'inProgress');

create function end_calendar() returns trigger language plpgsql as $$
begin
  delete from public.calendar_feeds where user_id = new.user_id;
  return null;
end
$$;

create trigger users_end_calendar
  after update of active on users
  for each row when (old.active and not new.active)
  execute function end_calendar();

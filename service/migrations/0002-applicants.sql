-- Primary applicants and their dependents. A record is kept as the JSON that reads give, but for its documents, which
-- the Document API shares; what is searched for or constrained stands beside it in columns of its own.

create table applicants (
  applicant_id text collate "C" primary key,
  -- null on a primary applicant
  primary_id text collate "C" references applicants,
  employee_number text collate "C",
  record json not null,
  version integer not null default 1,
  -- folded names, "last first" and "first last", for searching by their beginning
  name_key text collate "C" not null,
  name_key_reversed text collate "C" not null,
  -- folded e-mail addresses and passport numbers, with a letter in front that tells them apart
  search_keys text[] not null,
  -- the order in which they were made, which is the order in which dependents are listed
  seq bigint generated always as identity,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  archived_at timestamptz(3)
);

-- One namespace for primaries and dependents; an archived record has given its number back.
create unique index applicants_employee_number on applicants (employee_number) where archived_at is null;
create index applicants_dependents on applicants (primary_id, seq) where primary_id is not null;
create index applicants_name on applicants (name_key, applicant_id);
create index applicants_name_reversed on applicants (name_key_reversed, applicant_id);
create index applicants_search_keys on applicants using gin (search_keys);
create index applicants_archived on applicants (archived_at, applicant_id) where archived_at is not null;

create table retired_employee_numbers (
  employee_number text collate "C" primary key,
  applicant_id text collate "C" not null references applicants,
  retired_at timestamptz(3) not null
);

-- Whoever claims a number that is being retired waits for its owner in the unique index above, and comes here only
-- when that transaction has ended: this statement's own snapshot then sees what it retired. A record that comes out of
-- the archive claims its number again.
create function refuse_retired_number() returns trigger language plpgsql as $$
begin
  if exists (select from retired_employee_numbers r where r.employee_number = new.employee_number) then
    raise exception using errcode = '23505', constraint = 'applicants_number_not_retired',
      message = 'the employee number is retired';
  end if;
  return null;
end
$$;

create trigger applicants_number_not_retired_insert
  after insert on applicants
  for each row when (new.employee_number is not null)
  execute function refuse_retired_number();

create trigger applicants_number_not_retired_update
  after update of employee_number, archived_at on applicants
  for each row when (new.employee_number is not null and new.archived_at is null
    and (new.employee_number is distinct from old.employee_number or old.archived_at is not null))
  execute function refuse_retired_number();

create table documents (
  document_id text collate "C" primary key,
  applicant_id text collate "C" not null references applicants,
  -- null on a document of the applicant's own record
  case_id text collate "C",
  position integer not null default 0,
  name text,
  description text,
  -- wall-clock values, as written
  issue_date timestamp(0),
  expiry_date timestamp(0),
  reference_number text,
  country text,
  remind_about_renewal boolean not null default false,
  -- a number of days, or text: days, a date, a duration, a list of days
  expiry_reminder jsonb,
  version integer not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create index documents_of_applicant on documents (applicant_id, position) where case_id is null;

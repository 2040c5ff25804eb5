-- Companies, processes, and cases with their steps and notes.

create table companies (
  company_id text collate "C" primary key,
  name text not null,
  code text,
  country text,
  active boolean not null default true,
  -- folded, so that case does not tell two companies apart
  name_key text collate "C" not null,
  code_key text collate "C",
  version integer not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint companies_name unique (name_key),
  constraint companies_code unique (code_key)
);

create table processes (
  name text not null,
  name_key text collate "C" primary key,
  -- a case of this type, and going to this country, follows the process where it names none
  case_type text,
  case_type_key text collate "C",
  host_country text,
  steps text[] not null,
  updated_at timestamptz(3) not null
);

create index processes_by_case_type on processes (case_type_key, host_country) where case_type_key is not null;

-- A new installation shows sensible steps; operators replace them.
insert into processes (name, name_key, case_type, case_type_key, host_country, steps, updated_at) values
  ('Work permit', 'work permit', 'Work Permit', 'work permit', null, array[
    'Collect documents', 'Check eligibility', 'Prepare application', 'Employer signs', 'File work permit application',
    'Await decision', 'Permit issued', 'Enter visa at consulate', 'Register on arrival'], now()),
  ('Visa', 'visa', 'Visa', 'visa', null, array[
    'Collect documents', 'Complete application form', 'Book consulate appointment', 'Biometrics and interview',
    'Await decision', 'Collect passport with visa'], now()),
  ('Dependent permit', 'dependent permit', 'Dependent Permit', 'dependent permit', null, array[
    'Collect civil status documents', 'Legalise and translate documents', 'Prepare application',
    'File dependent application', 'Await decision', 'Permit issued', 'Register on arrival'], now()),
  ('Renewal', 'renewal', 'Renewal', 'renewal', null, array[
    'Confirm continued employment', 'Collect updated documents', 'Prepare renewal application', 'File before expiry',
    'Biometrics', 'Await decision', 'Collect new permit'], now()),
  ('Permanent residence', 'permanent residence', 'Permanent Residence', 'permanent residence', null, array[
    'Check years of residence', 'Collect tax and pension records', 'Language and integration test',
    'Prepare application', 'File application', 'Biometrics', 'Interview', 'Await decision', 'Card issued'], now());

create table cases (
  case_id text collate "C" primary key,
  applicant_id text collate "C" not null references applicants,
  status text not null check (status in ('open', 'pending', 'closed')),
  host_company_id text collate "C" not null references companies,
  sending_company_id text collate "C" not null references companies,
  billing_company_id text collate "C" not null references companies,
  -- what was sent: the fields of the case, and of its applicant but the number, which is read from the record
  details json not null,
  applicant json not null,
  version integer not null default 1,
  seq bigint generated always as identity,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  closed_at timestamptz(3)
);

create index cases_of_applicant on cases (applicant_id, seq);

create table case_steps (
  seq bigint generated always as identity primary key,
  step_id text collate "C" not null,
  case_id text collate "C" not null references cases,
  sequence integer not null,
  name text not null,
  status text not null check (status in ('notStarted', 'inProgress', 'completed', 'waived')),
  start_date date,
  completion_date date,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint case_steps_sequence unique (case_id, sequence) deferrable initially deferred
);

-- Lists by date are walked by (date, seq): a page costs the same wherever it lies.
create unique index case_steps_step_id on case_steps (step_id);
create index case_steps_updated on case_steps (updated_at, seq);
create index case_steps_created on case_steps (created_at, seq);
create index case_steps_started on case_steps (start_date, seq) where start_date is not null;
create index case_steps_completed on case_steps (completion_date, seq) where completion_date is not null;

create table case_notes (
  seq bigint generated always as identity primary key,
  note_id text collate "C" not null,
  case_id text collate "C" not null references cases,
  content text not null,
  author text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create unique index case_notes_note_id on case_notes (note_id);
create index case_notes_of_case on case_notes (case_id, created_at, seq);
create index case_notes_created on case_notes (created_at, seq);
create index case_notes_updated on case_notes (updated_at, seq);

-- Made once, used by every service on this database: signs cursors, so that one that was tampered with is known.
create table secrets (
  name text primary key,
  value bytea not null
);

-- Bulk imports: a file of people is received into staging rows, checked row by row against the rules of single requests,
-- and applied in batches. The bodies are deleted when the import ends; the results of its rows are kept for a time.

create table imports (
  import_id text collate "C" primary key,
  seq bigint generated always as identity,
  status text not null,
  mode text not null,
  format text not null,
  dry_run boolean not null,
  complete boolean not null,
  -- whether the file states the dependents of each person: they are then the full set in a replace
  has_dependents boolean not null default true,
  -- the caller, who is the actor of every change
  client_id text not null,
  user_id text,
  user_name text,
  address text,
  request_id text not null,
  trace_id text,
  -- the companies that the caller was limited to; null is all of them
  companies text[] collate "C",
  bytes bigint not null default 0,
  total integer not null default 0,
  created integer not null default 0,
  updated integer not null default 0,
  unchanged integer not null default 0,
  rejected integer not null default 0,
  missing integer not null default 0,
  -- progress: rows, and the position of the last one
  checked integer not null default 0,
  checked_to integer not null default 0,
  applied integer not null default 0,
  applied_to integer not null default 0,
  -- the last number that was compared with the file, to find who is missing; null before the first
  missing_to text collate "C",
  missing_done boolean not null default false,
  -- people from whom something would be taken, with samples
  guard jsonb not null,
  -- why it is held; null unless it is or was
  held_reasons jsonb,
  -- why it failed
  problem jsonb,
  -- when it became ready to run: imports of one company run in this order
  queued_at timestamptz(3) not null,
  released_at timestamptz(3),
  finished_at timestamptz(3),
  version integer not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint imports_status check (
    status in ('receiving', 'checking', 'held', 'running', 'completed', 'cancelled', 'failed')),
  constraint imports_mode check (mode in ('replace', 'merge')),
  constraint imports_format check (format in ('ndjson', 'csv'))
);

create unique index imports_seq on imports (seq);
create index imports_active on imports (queued_at, seq) where status in ('receiving', 'checking', 'running');
create index imports_held on imports (seq) where status = 'held';
create index imports_ended on imports (updated_at) where status not in ('receiving', 'checking', 'running');

-- No foreign keys here: they would cost a lookup for each of up to a million rows. The service deletes the rows of an
-- import before the import.

-- A family to be saved, or one that is rejected already.
create table import_rows (
  import_id text collate "C" not null,
  -- the line of NDJSON, or the record of CSV after the header, from 1
  row integer not null,
  employee_number text collate "C",
  -- JSON as it was sent; of a CSV row, the primary applicant. Null where the row is too large, or has dependents only.
  body text,
  -- of the body
  hash text collate "C",
  -- an error that was found while the file was received
  problem jsonb,
  primary key (import_id, row)
);

create index import_rows_number on import_rows (import_id, employee_number, row) where employee_number is not null;

-- Dependents of a CSV file, which may stand anywhere in it.
create table import_dependents (
  import_id text collate "C" not null,
  row integer not null,
  primary_number text collate "C" not null,
  body text not null,
  hash text collate "C" not null,
  primary key (import_id, row)
);

create index import_dependents_primary on import_dependents (import_id, primary_number, row);

create table import_results (
  import_id text collate "C" not null,
  -- the row; people who are missing from the file come after the last one
  position integer not null,
  row integer,
  employee_number text collate "C",
  applicant_id text collate "C",
  outcome text not null,
  changed text[] not null,
  problem jsonb,
  primary key (import_id, position)
);

create index import_results_outcome on import_results (import_id, outcome, position);

-- Rows of earlier imports that leave a family as it is, by the state of the family: while neither the row nor the family
-- changes, the next import need not compare them. Rows of people who were merged since are never found again.
create table import_fingerprints (
  -- the primary applicant
  applicant_id text collate "C" primary key,
  -- of the row, and of what decides how it is read
  hash text collate "C" not null,
  -- the versions of the primary applicant and of its dependents
  state text collate "C" not null,
  people integer not null
);

-- Assignees and due dates of cases and steps, notes for the team with their earlier versions, and what a timeline reads.

alter table cases
  add column assignee_id text collate "C" references users,
  add column due_date date;

alter table case_steps
  add column assignee_id text collate "C" references users,
  add column due_date date,
  -- of the process when the case was created: the due date is this many days after the start
  add column due_days integer,
  -- the due date was sent by a caller, and is never computed again
  add column due_date_is_set boolean not null default false;

-- The entity tag of a case depends on the names of all its assignees.
create index case_steps_assigned on case_steps (case_id, assignee_id) where assignee_id is not null;

alter table processes
  -- one for each step, null where a step has none; null where no step has one
  add column due_days integer[],
  -- [{ name, type, required }]: json, because jsonb would order its members anew
  add column checklist json not null default '[]',
  add constraint processes_due_days check (due_days is null or cardinality(due_days) = cardinality(steps));

alter table case_notes
  add column visibility text not null default 'everyone',
  -- the person who wrote the note; null for a client, and for notes of earlier releases
  add column author_id text collate "C" references users,
  add column version integer not null default 1,
  -- of the current version, where the note was edited
  add column edited_at timestamptz(3),
  add column editor text,
  add column editor_id text collate "C" references users,
  add constraint case_notes_visibility check (visibility in ('team', 'everyone'));

-- Lists of callers who do not see the notes of the team.
create index case_notes_everyone_created on case_notes (created_at, seq) where visibility = 'everyone';
create index case_notes_everyone_updated on case_notes (updated_at, seq) where visibility = 'everyone';
create index case_notes_company_everyone_created on case_notes (company_set_id, created_at, seq)
  where company_set_id is not null and visibility = 'everyone';
create index case_notes_company_everyone_updated on case_notes (company_set_id, updated_at, seq)
  where company_set_id is not null and visibility = 'everyone';

-- Versions of notes before the current one.
create table case_note_versions (
  note_id text collate "C" not null references case_notes (note_id),
  version integer not null,
  case_id text collate "C" not null references cases,
  content text not null,
  visibility text not null,
  -- who wrote this version, and when
  author text not null,
  author_id text collate "C" references users,
  written_at timestamptz(3) not null,
  company_set_id integer,
  primary key (note_id, version)
);

-- for moves of a case to other companies
create index case_note_versions_of_case on case_note_versions (case_id);

create trigger case_note_versions_place
  before insert on case_note_versions
  for each row execute function place_part_of_case();

create or replace function move_case() returns trigger language plpgsql as $$
begin
  update public.case_steps set company_set_id = new.company_set_id where case_id = new.case_id;
  update public.case_notes set company_set_id = new.company_set_id where case_id = new.case_id;
  update public.case_note_versions set company_set_id = new.company_set_id where case_id = new.case_id;
  update public.documents set company_set_id = new.company_set_id where case_id = new.case_id;
  update public.document_files f set company_set_id = d.company_set_id
  from public.documents d where d.case_id = new.case_id and f.document_id = d.document_id;
  update public.notifications n set company_set_id = d.company_set_id
  from public.documents d where d.case_id = new.case_id and n.document_id = d.document_id;
  return null;
end
$$;

-- A timeline reads the changes of a record. The reads of a record that is polled are many times as many.
create index audit_changes_of_record on audit (record_id, at, seq) where json_array_length(changes) > 0;

-- Duplicates: pairs of records that may be the same person, and merges, which make one record of two.

-- Records to compare with others, once their transaction has committed. There is no key: a writer never waits here for the
-- worker, and a record that is listed twice is compared twice.
create table duplicate_checks (
  seq bigint generated always as identity primary key,
  applicant_id text collate "C" not null
);

create function check_duplicates() returns trigger language plpgsql as $$
begin
  insert into public.duplicate_checks (applicant_id) values (new.applicant_id);
  return null;
end
$$;

create trigger applicants_check_duplicates_insert
  after insert on applicants
  for each row execute function check_duplicates();

create trigger applicants_check_duplicates_update
  after update of record, primary_id, archived_at on applicants
  for each row when (
    new.record::text <> old.record::text or new.primary_id is distinct from old.primary_id
    or (new.archived_at is null) <> (old.archived_at is null))
  execute function check_duplicates();

-- Every write of the tables below holds the lock 7227019: the worker, which tries to get it, and what removes or moves pairs.
create function forget_duplicates() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7227019);
  delete from public.duplicate_keys where applicant_id = old.applicant_id;
  delete from public.duplicate_pairs where first_id = old.applicant_id;
  delete from public.duplicate_pairs where second_id = old.applicant_id;
  return null;
end
$$;

-- Two sets that occur together in a row about two records: lists of limited callers are read for each of these, not for every
-- two of the caller's companies. Rows are never deleted; one that is not needed any more costs a lookup.
create table company_set_pairs (
  company_set_id integer not null,
  other_company_set_id integer not null,
  primary key (company_set_id, other_company_set_id)
);

create function note_company_sets(one integer, other integer) returns void language plpgsql as $$
begin
  if one is not null and other is not null and not exists (
    select from public.company_set_pairs p where p.company_set_id = one and p.other_company_set_id = other
  ) then
    insert into public.company_set_pairs (company_set_id, other_company_set_id) values (one, other)
    on conflict do nothing;
  end if;
end
$$;

-- What a live record can have in common with another one. Only the worker writes it.
create table duplicate_keys (
  applicant_id text collate "C" not null,
  -- passport, nameAndBirthDate, email
  reason text collate "C" not null,
  -- SHA-256 of the folded text, without its second half
  key bytea not null,
  -- the country of a passport; two that differ are two passports
  qualifier text collate "C" not null,
  primary key (reason, key, applicant_id, qualifier)
);

create index duplicate_keys_of_applicant on duplicate_keys (applicant_id);

create table duplicate_pairs (
  -- the smaller id
  first_id text collate "C" not null,
  second_id text collate "C" not null,
  -- 1 to 100
  score smallint not null,
  reasons text[] not null,
  -- digest of what the records have in common
  matched bytea not null,
  found_at timestamptz(3) not null,
  -- of the two records, the smaller one first; both null where one of them belongs to no company
  company_set_id integer,
  other_company_set_id integer,
  primary key (first_id, second_id),
  constraint duplicate_pairs_order check (first_id < second_id)
);

create index duplicate_pairs_by_score on duplicate_pairs (score, first_id, second_id);
create index duplicate_pairs_of_second on duplicate_pairs (second_id);
create index duplicate_pairs_company_score
  on duplicate_pairs (company_set_id, other_company_set_id, score, first_id, second_id)
  where company_set_id is not null;

-- Pairs that a person has looked at: not the same person. Valid while the records have the same in common.
create table duplicate_dismissals (
  first_id text collate "C" not null,
  second_id text collate "C" not null,
  matched bytea not null,
  score smallint not null,
  reasons text[] not null,
  reason text,
  -- the person or client
  dismissed_by text not null,
  dismissed_at timestamptz(3) not null,
  company_set_id integer,
  other_company_set_id integer,
  primary key (first_id, second_id)
);

create index duplicate_dismissals_of_second on duplicate_dismissals (second_id);

create trigger applicants_forget_duplicates
  after delete on applicants
  for each row execute function forget_duplicates();

create function place_duplicates() returns trigger language plpgsql as $$
declare
  first_set integer;
  second_set integer;
begin
  select a.company_set_id into first_set from public.applicants a where a.applicant_id = new.first_id;
  select a.company_set_id into second_set from public.applicants a where a.applicant_id = new.second_id;
  -- Null where one of them is null: least and greatest would ignore it.
  new.company_set_id := case when first_set <= second_set then first_set when second_set < first_set then second_set end;
  new.other_company_set_id := case when first_set <= second_set then second_set when second_set < first_set then first_set end;
  perform public.note_company_sets(new.company_set_id, new.other_company_set_id);
  return new;
end
$$;

create trigger duplicate_pairs_place
  before insert or update on duplicate_pairs
  for each row execute function place_duplicates();

create trigger duplicate_dismissals_place
  before insert or update on duplicate_dismissals
  for each row execute function place_duplicates();

-- Merges. The absorbed record is deleted, so that nothing else has to know of it; what is needed to restore it is here.
create table merges (
  merge_id text collate "C" primary key,
  target_id text collate "C" not null,
  -- the absorbed record; its dependents that were absorbed too are in merged_applicants only
  source_id text collate "C" not null,
  -- the records before and after, and what was moved
  state json not null,
  -- the person or client
  merged_by text not null,
  merged_at timestamptz(3) not null,
  undone_by text,
  undone_at timestamptz(3),
  seq bigint generated always as identity,
  -- of the target, and of the absorbed record when it was absorbed
  company_set_id integer,
  other_company_set_id integer
);

create index merges_by_time on merges (merged_at, seq);
create index merges_of_target on merges (target_id, merged_at, seq);
create index merges_of_source on merges (source_id, merged_at, seq);
create index merges_company_time on merges (company_set_id, other_company_set_id, merged_at, seq)
  where company_set_id is not null and other_company_set_id is not null;

create function place_merge() returns trigger language plpgsql as $$
begin
  select a.company_set_id into new.company_set_id from public.applicants a where a.applicant_id = new.target_id;
  select a.company_set_id into new.other_company_set_id from public.applicants a where a.applicant_id = new.source_id;
  perform public.note_company_sets(new.company_set_id, new.other_company_set_id);
  return new;
end
$$;

-- Inserted while both records exist.
create trigger merges_place
  before insert on merges
  for each row execute function place_merge();

create table merged_applicants (
  -- no record can be created under this id
  source_id text collate "C" primary key,
  target_id text collate "C" not null,
  merge_id text collate "C" not null references merges
);

create index merged_applicants_of_merge on merged_applicants (merge_id);
create index merged_applicants_of_target on merged_applicants (target_id);

-- The constraint of the id of an absorbed record: it leads to the record that absorbed it, and to nothing else.
create function refuse_merged_id() returns trigger language plpgsql as $$
begin
  if exists (select from public.merged_applicants m where m.source_id = new.applicant_id) then
    raise exception using errcode = '23505', constraint = 'applicants_id_not_merged',
      message = 'the record was merged into another one';
  end if;
  return null;
end
$$;

create trigger applicants_id_not_merged
  after insert on applicants
  for each row execute function refuse_merged_id();

-- A number that a merge has retired leads to the record that absorbed its owner. An undo gives it back.
alter table retired_employee_numbers add column merge_id text collate "C" references merges;
create index retired_employee_numbers_of_applicant on retired_employee_numbers (applicant_id);
create index retired_employee_numbers_of_merge on retired_employee_numbers (merge_id) where merge_id is not null;

-- Companies of an applicant that moves to another company.
create function move_duplicates() returns trigger language plpgsql as $$
begin
  if exists (select from public.duplicate_keys k where k.applicant_id = new.applicant_id) then
    perform pg_advisory_xact_lock(7227019);
    update public.duplicate_pairs set score = score where first_id = new.applicant_id;
    update public.duplicate_pairs set score = score where second_id = new.applicant_id;
    update public.duplicate_dismissals set score = score where first_id = new.applicant_id;
    update public.duplicate_dismissals set score = score where second_id = new.applicant_id;
  end if;
  -- The worker may be comparing the record just now, and not see its new company yet.
  insert into public.duplicate_checks (applicant_id) values (new.applicant_id);
  update public.merges set company_set_id = new.company_set_id where target_id = new.applicant_id;
  perform public.note_company_sets(new.company_set_id, m.other_company_set_id)
  from public.merges m where m.target_id = new.applicant_id;
  return null;
end
$$;

create trigger applicants_move_duplicates
  after update on applicants
  for each row when (new.company_set_id is distinct from old.company_set_id)
  execute function move_duplicates();

-- Documents of a record that change their applicant belong where that one belongs. Those of a case stay where they are.
create function move_document() returns trigger language plpgsql as $$
begin
  update public.document_files set company_set_id = new.company_set_id where document_id = new.document_id;
  update public.notifications set company_set_id = new.company_set_id where document_id = new.document_id;
  return null;
end
$$;

create trigger documents_place_update
  before update of applicant_id on documents
  for each row when (new.case_id is null and new.applicant_id <> old.applicant_id)
  execute function place_document();

create trigger documents_move
  after update of applicant_id on documents
  for each row when (new.company_set_id is distinct from old.company_set_id)
  execute function move_document();

-- Everyone is compared once.
insert into duplicate_checks (applicant_id) select applicant_id from applicants where archived_at is null;

-- What follows from new applicants and documents is written for all rows of a statement at once. An import inserts hundreds
-- of people with one statement: a function for each row, with statements of its own, took more time than the rows
-- themselves. Updates keep their triggers for each row.

-- The constraints of numbers and ids, and what is derived. New rows have no expiries yet.
create function follow_new_applicants() returns trigger language plpgsql as $$
begin
  if exists (
    select from inserted i
    join public.retired_employee_numbers r on r.employee_number = i.employee_number
  ) then
    raise exception using errcode = '23505', constraint = 'applicants_number_not_retired',
      message = 'the employee number is retired';
  end if;
  if exists (select from inserted i join public.merged_applicants m on m.source_id = i.applicant_id) then
    raise exception using errcode = '23505', constraint = 'applicants_id_not_merged',
      message = 'the record was merged into another one';
  end if;
  insert into public.expiries (applicant_id, kind, item_id, expires_on, company_set_id)
  select i.applicant_id, 'passport', p.passport_id, p.expires_on, i.company_set_id
  from inserted i
  cross join lateral public.passport_expiries(i.record) p
  where i.archived_at is null and (i.record->'passports'->0) is not null;
  insert into public.duplicate_checks (applicant_id) select i.applicant_id from inserted i;
  return null;
end
$$;

drop trigger applicants_number_not_retired_insert on applicants;
drop trigger applicants_id_not_merged on applicants;
drop trigger applicants_expiries_insert on applicants;
drop trigger applicants_check_duplicates_insert on applicants;
drop function refuse_merged_id();

create trigger applicants_follow_insert
  after insert on applicants
  referencing new table as inserted
  for each statement execute function follow_new_applicants();

create function follow_new_documents() returns trigger language plpgsql as $$
begin
  insert into public.expiries (applicant_id, kind, item_id, case_id, expires_on, company_set_id)
  select d.applicant_id, 'document', d.document_id, d.case_id, d.expiry_date::date, d.company_set_id
  from inserted d
  where d.expiry_date is not null and d.removed_at is null and (d.case_id is not null or exists (
    select from public.applicants a where a.applicant_id = d.applicant_id and a.archived_at is null));
  insert into public.renewal_checks (document_id, check_on, ladder)
  select d.document_id, '-infinity', '' from inserted d
  where d.remind_about_renewal and d.expiry_date is not null and d.removed_at is null;
  return null;
end
$$;

drop trigger documents_expiry_insert on documents;
drop trigger documents_check_renewal_insert on documents;

create trigger documents_follow_insert
  after insert on documents
  referencing new table as inserted
  for each statement execute function follow_new_documents();

-- An expiry is written only by triggers, under the lock of the row that it follows from: of its applicant, or of a document,
-- which references the applicant itself. A foreign key would look up and lock the applicant once more for each.
alter table expiries drop constraint expiries_applicant_id_fkey;

create function forget_expiries() returns trigger language plpgsql as $$
begin
  delete from public.expiries where applicant_id = old.applicant_id;
  return null;
end
$$;

create trigger applicants_forget_expiries
  after delete on applicants
  for each row execute function forget_expiries();

-- The set of companies of a text is looked up once in a transaction, not once for each person. It cannot change while the
-- shared lock is held: creating or renaming a company needs the exclusive one, and forgets what was remembered.
create or replace function place_applicant() returns trigger language plpgsql as $$
declare
  -- the id of the set, or nothing, then a space and the text
  placed text;
  space integer;
begin
  if new.primary_id is not null then
    select p.company_set_id into new.company_set_id from public.applicants p where p.applicant_id = new.primary_id;
  elsif new.company_key is null then
    new.company_set_id := null;
  else
    placed := current_setting('caseport.placed_key', true);
    space := position(' ' in placed);
    if space > 0 and substr(placed, space + 1) = new.company_key then
      new.company_set_id := nullif(left(placed, space - 1), '')::integer;
    else
      perform pg_advisory_xact_lock_shared(7227014);
      new.company_set_id := public.company_set_of(array[public.company_of_key(new.company_key)]);
      perform set_config('caseport.placed_key', concat(new.company_set_id, ' ', new.company_key), true);
    end if;
  end if;
  return new;
end
$$;

create or replace function lock_company_keys() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7227014);
  perform set_config('caseport.placed_key', '', true);
  return new;
end
$$;

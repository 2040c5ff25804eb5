-- Companies as the boundary. A record belongs to a set of companies: an applicant to the one that it names, a case to its
-- one to three. Every row that belongs to companies has the id of that set in one column, kept by triggers. Null means no
-- company: only callers who are not limited see the row. The views of the schema `limited` compare this column
-- (db/limited-schema.ts).

create table company_sets (
  company_set_id integer generated always as identity primary key,
  -- sorted and distinct
  company_ids text[] collate "C" not null,
  constraint company_sets_ids unique (company_ids)
);

create index company_sets_of_company on company_sets using gin (company_ids);

-- There are no foreign keys to company_sets: each insert would lock the row of its set, and many transactions share one.
-- Only the triggers below write the column, and sets are never deleted.
alter table applicants
  -- the folded sendingCompany of a primary applicant; null on dependents, who belong where their primary belongs
  add column company_key text collate "C",
  add column company_set_id integer;
alter table cases add column company_set_id integer;
alter table case_steps add column company_set_id integer;
alter table case_notes add column company_set_id integer;
alter table documents add column company_set_id integer;
alter table document_files add column company_set_id integer;
alter table notifications add column company_set_id integer;
alter table events add column company_set_id integer;

-- Null is all companies.
alter table clients add column companies text[] collate "C";
alter table webhooks add column companies text[] collate "C";
-- The companies of the client when the response was stored.
alter table idempotency_keys add column companies text[] collate "C";

create index clients_limited on clients (client_id) where companies is not null;
create index companies_id_key on companies (lower(company_id));

-- The company that a folded text names: an id takes precedence over a code, a code over a name.
create function company_of_key(key text) returns text language sql stable as $$
  select c.company_id from public.companies c
  where lower(c.company_id) = key or c.code_key = key or c.name_key = key
  order by (lower(c.company_id) = key) desc, (c.code_key = key) desc nulls last
  limit 1
$$;

-- The set of these companies, which is created where there is none. A limited transaction resolved the sets that it sees
-- when it began; it also sees one that it needs later.
create function company_set_of(ids text[]) returns integer language plpgsql as $$
declare
  members text[] := array(
    select distinct id collate "C" from unnest(ids) as id where id is not null order by 1);
  caller text := current_setting('caseport.companies', true);
  visible integer[];
  result integer;
begin
  if members = '{}' then
    return null;
  end if;
  select s.company_set_id into result from public.company_sets s where s.company_ids = members;
  if result is null then
    insert into public.company_sets (company_ids) values (members)
    on conflict on constraint company_sets_ids do nothing
    returning company_set_id into result;
  end if;
  if result is null then
    select s.company_set_id into result from public.company_sets s where s.company_ids = members;
  end if;
  if caller <> '' and members && caller::text[] then
    visible := coalesce(nullif(current_setting('caseport.company_sets', true), ''), '{}')::integer[];
    if result <> all (visible) then
      perform set_config('caseport.company_sets', (visible || result)::text, true);
    end if;
  end if;
  return result;
end
$$;

-- Rows of the previous release. Folding is JavaScript; for ASCII it is the same as here. Applicants with another text are
-- left to the worker of the search keys, and until then only callers who are not limited see them.

-- The updates below write every row. Creating the indexes again afterwards takes a fraction of the time of updating them
-- row by row.
select set_config('maintenance_work_mem', '256MB', true);

create temporary table rebuilt_indexes on commit drop as
select i.indexname as name, i.indexdef as definition
from pg_indexes i
where i.schemaname = 'public'
  and i.tablename in ('applicants', 'cases', 'case_steps', 'case_notes', 'documents', 'document_files', 'notifications')
  and not exists (select from pg_constraint c where c.conname = i.indexname)
  and exists (select from applicants);

do $$
declare
  dropped text;
begin
  for dropped in select name from rebuilt_indexes loop
    execute format('drop index public.%I', dropped);
  end loop;
end
$$;

insert into company_sets (company_ids)
select array[company_id] from companies
union
select array(select distinct id collate "C" from unnest(array[c.host, c.sending, c.billing]) as id order by 1)
from (
  select distinct host_company_id as host, sending_company_id as sending, billing_company_id as billing from cases
) c;

create temporary table placed_texts on commit drop as
select t.text, t.is_ascii, t.key, s.company_set_id
from (
  select text, octet_length(text) = length(text) as is_ascii,
    case when octet_length(text) = length(text)
      then nullif(left(lower(btrim(text, e' \t\n\r\f\v') collate "C"), 600), '') end as key
  from (
    select distinct record->>'sendingCompany' as text from applicants where primary_id is null
  ) d
  where text <> ''
) t
left join company_sets s on s.company_ids = array[company_of_key(t.key)];

update applicants a
set company_key = t.key, company_set_id = t.company_set_id,
  keys_version = case when t.is_ascii then a.keys_version else 0 end
from placed_texts t
where a.primary_id is null and a.record->>'sendingCompany' = t.text and (t.key is not null or not t.is_ascii);

update applicants d
set company_set_id = p.company_set_id
from applicants p
where p.applicant_id = d.primary_id and p.company_set_id is not null;

create temporary table placed_cases on commit drop as
select c.host, c.sending, c.billing, s.company_set_id
from (
  select distinct host_company_id as host, sending_company_id as sending, billing_company_id as billing from cases
) c
join company_sets s on s.company_ids
  = array(select distinct id collate "C" from unnest(array[c.host, c.sending, c.billing]) as id order by 1);

update cases c
set company_set_id = p.company_set_id
from placed_cases p
where p.host = c.host_company_id and p.sending = c.sending_company_id and p.billing = c.billing_company_id;

update case_steps k set company_set_id = c.company_set_id from cases c where c.case_id = k.case_id;
update case_notes k set company_set_id = c.company_set_id from cases c where c.case_id = k.case_id;
update documents d set company_set_id = c.company_set_id from cases c where c.case_id = d.case_id;
update documents d set company_set_id = a.company_set_id from applicants a
where a.applicant_id = d.applicant_id and d.case_id is null and a.company_set_id is not null;
update document_files f set company_set_id = d.company_set_id from documents d
where d.document_id = f.document_id and d.company_set_id is not null;
update notifications n set company_set_id = d.company_set_id from documents d
where d.document_id = n.document_id and d.company_set_id is not null;

do $$
declare
  rebuilt text;
begin
  for rebuilt in select definition from rebuilt_indexes loop
    execute rebuilt;
  end loop;
end
$$;

-- A company that is created or renamed finds the applicants that name it.
create index applicants_company_key on applicants (company_key) where company_key is not null;

-- Lists and searches of limited callers are read set by set, each from an index that begins with the set.
create index applicants_company_name on applicants (company_set_id, name_key, applicant_id)
  where company_set_id is not null and archived_at is null;
create index applicants_company_name_reversed on applicants (company_set_id, name_key_reversed, applicant_id)
  where company_set_id is not null and archived_at is null;
create index applicants_company_archived_name on applicants (company_set_id, name_key, applicant_id)
  where company_set_id is not null and archived_at is not null;
create index applicants_company_archived_name_reversed on applicants (company_set_id, name_key_reversed, applicant_id)
  where company_set_id is not null and archived_at is not null;
create index case_steps_company_updated on case_steps (company_set_id, updated_at, seq)
  where company_set_id is not null;
create index case_steps_company_created on case_steps (company_set_id, created_at, seq)
  where company_set_id is not null;
create index case_steps_company_started on case_steps (company_set_id, start_date, seq)
  where company_set_id is not null and start_date is not null;
create index case_steps_company_completed on case_steps (company_set_id, completion_date, seq)
  where company_set_id is not null and completion_date is not null;
create index case_notes_company_created on case_notes (company_set_id, created_at, seq)
  where company_set_id is not null;
create index case_notes_company_updated on case_notes (company_set_id, updated_at, seq)
  where company_set_id is not null;
create index documents_company_updated on documents (company_set_id, updated_at, seq)
  where company_set_id is not null and removed_at is null;
create index documents_company_changed_later on documents (company_set_id, created_at, seq) include (updated_at)
  where company_set_id is not null and updated_at > created_at and removed_at is null;
create index notifications_company_created on notifications (company_set_id, created_at, seq)
  where company_set_id is not null;

-- Trigger functions name the schema of every table: they run for limited callers too, whose search path has views only,
-- and must see everything.

create or replace function refuse_retired_number() returns trigger language plpgsql as $$
begin
  if exists (select from public.retired_employee_numbers r where r.employee_number = new.employee_number) then
    raise exception using errcode = '23505', constraint = 'applicants_number_not_retired',
      message = 'the employee number is retired';
  end if;
  return null;
end
$$;

create or replace function check_renewal() returns trigger language plpgsql as $$
begin
  if new.remind_about_renewal and new.expiry_date is not null and new.removed_at is null then
    insert into public.renewal_checks (document_id, check_on, ladder) values (new.document_id, '-infinity', '')
    on conflict (document_id) do update set check_on = excluded.check_on;
  else
    delete from public.renewal_checks where document_id = new.document_id;
  end if;
  return null;
end
$$;

create or replace function count_upload_usage() returns trigger language plpgsql as $$
begin
  update public.upload_usage u
  set bytes = u.bytes + case when new.removed_at is null then f.size else -f.size end
  from public.document_files f
  where f.document_id = new.document_id and u.client_id = f.uploaded_by;
  return null;
end
$$;

-- Applicants. The shared lock excludes a company that is being created or renamed: its transaction would miss this record,
-- and this one would miss the company.
create function place_applicant() returns trigger language plpgsql as $$
begin
  if new.primary_id is not null then
    select p.company_set_id into new.company_set_id from public.applicants p where p.applicant_id = new.primary_id;
  elsif new.company_key is null then
    new.company_set_id := null;
  else
    perform pg_advisory_xact_lock_shared(7227014);
    new.company_set_id := public.company_set_of(array[public.company_of_key(new.company_key)]);
  end if;
  return new;
end
$$;

create trigger applicants_place_insert
  before insert on applicants
  for each row when (new.primary_id is not null or new.company_key is not null)
  execute function place_applicant();

create trigger applicants_place_update
  before update of company_key, primary_id on applicants
  for each row when ((new.company_key, new.primary_id) is distinct from (old.company_key, old.primary_id))
  execute function place_applicant();

-- Dependents, documents of records and what belongs to them follow these applicants. Live and archived dependents are in
-- two indexes, so they need two statements.
create function follow_company(ids text[]) returns void language plpgsql as $$
declare
  members text[] := ids
    || array(select d.applicant_id from public.applicants d where d.primary_id = any (ids) and d.archived_at is null)
    || array(select d.applicant_id from public.applicants d where d.primary_id = any (ids) and d.archived_at is not null);
begin
  update public.applicants d
  set company_set_id = p.company_set_id
  from public.applicants p
  where d.applicant_id = any (members) and p.applicant_id = d.primary_id
    and d.company_set_id is distinct from p.company_set_id;
  update public.documents d
  set company_set_id = a.company_set_id
  from public.applicants a
  where a.applicant_id = any (members) and d.applicant_id = a.applicant_id and d.case_id is null
    and d.company_set_id is distinct from a.company_set_id;
  update public.document_files f
  set company_set_id = d.company_set_id
  from public.documents d
  where d.applicant_id = any (members) and d.case_id is null and f.document_id = d.document_id
    and f.company_set_id is distinct from d.company_set_id;
  update public.notifications n
  set company_set_id = d.company_set_id
  from public.documents d
  where d.applicant_id = any (members) and d.case_id is null and n.document_id = d.document_id
    and n.company_set_id is distinct from d.company_set_id;
end
$$;

create function move_applicant() returns trigger language plpgsql as $$
begin
  perform public.follow_company(array[new.applicant_id]);
  return null;
end
$$;

create trigger applicants_move
  after update of company_key, primary_id on applicants
  for each row when (new.company_set_id is distinct from old.company_set_id)
  execute function move_applicant();

-- Companies. A new or changed name or code takes in the applicants that name it, and those that named the former one leave.
create function lock_company_keys() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7227014);
  return new;
end
$$;

create trigger companies_lock_keys_insert
  before insert on companies
  for each row execute function lock_company_keys();

create trigger companies_lock_keys_update
  before update of name_key, code_key on companies
  for each row when ((new.name_key, new.code_key) is distinct from (old.name_key, old.code_key))
  execute function lock_company_keys();

create function take_in_applicants() returns trigger language plpgsql as $$
declare
  keys text[] := array[lower(new.company_id), new.name_key, new.code_key];
  named text;
  destination integer;
  moved text[];
begin
  perform public.company_set_of(array[new.company_id]);
  if tg_op = 'UPDATE' then
    keys := keys || array[old.name_key, old.code_key];
  end if;
  for named in select distinct key from unnest(keys) as key where key is not null loop
    destination := public.company_set_of(array[public.company_of_key(named)]);
    with updated as (
      update public.applicants a
      set company_set_id = destination
      where a.company_key = named and a.primary_id is null and a.company_set_id is distinct from destination
      returning a.applicant_id
    )
    select array_agg(applicant_id) into moved from updated;
    if moved is not null then
      perform public.follow_company(moved);
    end if;
  end loop;
  return null;
end
$$;

create trigger companies_take_in_insert
  after insert on companies
  for each row execute function take_in_applicants();

create trigger companies_take_in_update
  after update of name_key, code_key on companies
  for each row when ((new.name_key, new.code_key) is distinct from (old.name_key, old.code_key))
  execute function take_in_applicants();

-- Cases, and what belongs to them.
create function place_case() returns trigger language plpgsql as $$
begin
  new.company_set_id := public.company_set_of(
    array[new.host_company_id, new.sending_company_id, new.billing_company_id]);
  return new;
end
$$;

create trigger cases_place
  before insert or update of host_company_id, sending_company_id, billing_company_id on cases
  for each row execute function place_case();

create function move_case() returns trigger language plpgsql as $$
begin
  update public.case_steps set company_set_id = new.company_set_id where case_id = new.case_id;
  update public.case_notes set company_set_id = new.company_set_id where case_id = new.case_id;
  update public.documents set company_set_id = new.company_set_id where case_id = new.case_id;
  update public.document_files f set company_set_id = d.company_set_id
  from public.documents d where d.case_id = new.case_id and f.document_id = d.document_id;
  update public.notifications n set company_set_id = d.company_set_id
  from public.documents d where d.case_id = new.case_id and n.document_id = d.document_id;
  return null;
end
$$;

create trigger cases_move
  after update of host_company_id, sending_company_id, billing_company_id on cases
  for each row when (new.company_set_id is distinct from old.company_set_id)
  execute function move_case();

create function place_part_of_case() returns trigger language plpgsql as $$
begin
  select c.company_set_id into new.company_set_id from public.cases c where c.case_id = new.case_id;
  return new;
end
$$;

create trigger case_steps_place
  before insert on case_steps
  for each row execute function place_part_of_case();

create trigger case_notes_place
  before insert on case_notes
  for each row execute function place_part_of_case();

-- Documents of a case belong where the case belongs, those of a record where the applicant belongs.
create function place_document() returns trigger language plpgsql as $$
begin
  if new.case_id is null then
    select a.company_set_id into new.company_set_id from public.applicants a where a.applicant_id = new.applicant_id;
  else
    select c.company_set_id into new.company_set_id from public.cases c where c.case_id = new.case_id;
  end if;
  return new;
end
$$;

create trigger documents_place
  before insert on documents
  for each row execute function place_document();

create function place_part_of_document() returns trigger language plpgsql as $$
begin
  select d.company_set_id into new.company_set_id from public.documents d where d.document_id = new.document_id;
  return new;
end
$$;

create trigger document_files_place
  before insert on document_files
  for each row execute function place_part_of_document();

create trigger notifications_place
  before insert on notifications
  for each row execute function place_part_of_document();

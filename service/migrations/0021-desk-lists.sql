-- The lists of the desk: cases, documents, what expires, saved views. Each order of a list is an index that ends in seq, and
-- filters that are used alone begin one. What further filters compare is included, so that rows that do not match cost an
-- index entry, not a row.

select set_config('maintenance_work_mem', '256MB', true);

-- Text that is searched by its beginning: without case, spaces and ASCII punctuation; null where nothing is left.
create function search_key(value text) returns text language sql immutable parallel safe as $$
  select nullif(left(regexp_replace(lower(value), '[\s!-/:-@[-`{-~]+', '', 'g'), 200), '')
$$;

-- Cases ---------------------------------------------------------------------------------------------------------------

alter table cases
  -- folded names of the applicant, as in applicants; folding is JavaScript, so a worker fills in those of earlier releases
  add column name_key text collate "C" not null default '',
  add column name_key_reversed text collate "C" not null default '',
  add column keys_version smallint not null default 0,
  -- the first date on which the case or one of its unfinished steps is due, while it is not closed; kept by triggers
  add column next_due date not null default 'infinity',
  add column case_type_key text collate "C"
    generated always as (lower(left(btrim(details->>'caseType'), 100))) stored,
  add column process_key text collate "C" generated always as (search_key(details->>'processName')) stored,
  add column host_country text collate "C"
    generated always as (nullif(upper(btrim(details->>'hostCountry')), '')) stored,
  add column vip boolean generated always as (coalesce(applicant->>'Vip' = 'true', false)) stored;

create function next_due_of(id text, case_status text, case_due date) returns date language sql stable as $$
  select case when case_status = 'closed' then 'infinity'::date else least(
    coalesce(case_due, 'infinity'),
    (select min(s.due_date) from public.case_steps s where s.case_id = id and s.status in ('notStarted', 'inProgress'))
  ) end
$$;

update cases c set next_due = next_due_of(c.case_id, c.status, c.due_date)
where c.due_date is not null or c.case_id in (select s.case_id from case_steps s where s.due_date is not null);

create function keep_next_due() returns trigger language plpgsql as $$
begin
  new.next_due := public.next_due_of(new.case_id, new.status, new.due_date);
  return new;
end
$$;

create trigger cases_next_due_insert
  before insert on cases
  for each row when (new.due_date is not null)
  execute function keep_next_due();

create trigger cases_next_due_update
  before update of status, due_date on cases
  for each row when ((new.status, new.due_date) is distinct from (old.status, old.due_date))
  execute function keep_next_due();

-- Every change of a step has locked its case before.
create function keep_next_due_of_case() returns trigger language plpgsql as $$
begin
  update public.cases c
  set next_due = public.next_due_of(c.case_id, c.status, c.due_date)
  where c.case_id = coalesce(new.case_id, old.case_id)
    and c.next_due is distinct from public.next_due_of(c.case_id, c.status, c.due_date);
  return null;
end
$$;

create trigger case_steps_next_due_insert
  after insert on case_steps
  for each row when (new.due_date is not null)
  execute function keep_next_due_of_case();

create trigger case_steps_next_due_update
  after update of status, due_date on case_steps
  for each row when ((new.status, new.due_date) is distinct from (old.status, old.due_date))
  execute function keep_next_due_of_case();

create trigger case_steps_next_due_delete
  after delete on case_steps
  for each row when (old.due_date is not null)
  execute function keep_next_due_of_case();

create unique index cases_seq on cases (seq);
create index cases_old_keys on cases (case_id) where keys_version < 1;
create index cases_due on cases (status, next_due, seq)
  include (assignee_id, case_type_key, host_country, vip, updated_at);
create index cases_updated on cases (status, updated_at, seq)
  include (assignee_id, case_type_key, host_country, vip, next_due);
create index cases_created on cases (status, created_at, seq)
  include (assignee_id, case_type_key, host_country, vip, next_due, updated_at);
create index cases_name on cases (name_key, seq)
  include (status, assignee_id, case_type_key, host_country, vip, next_due, updated_at);
create index cases_name_reversed on cases (name_key_reversed, seq) include (name_key);
create index cases_company_due on cases (company_set_id, status, next_due, seq)
  include (assignee_id, case_type_key, host_country, vip, updated_at);
create index cases_company_updated on cases (company_set_id, status, updated_at, seq)
  include (assignee_id, case_type_key, host_country, vip, next_due);
create index cases_company_created on cases (company_set_id, status, created_at, seq)
  include (assignee_id, case_type_key, host_country, vip, next_due, updated_at);
create index cases_company_name on cases (company_set_id, name_key, seq)
  include (status, assignee_id, case_type_key, host_country, vip, next_due, updated_at);
create index cases_company_name_reversed on cases (company_set_id, name_key_reversed, seq) include (name_key);
create index cases_assignee on cases (assignee_id, status, next_due, seq) include (company_set_id)
  where assignee_id is not null;
create index cases_unassigned on cases (status, next_due, seq) include (case_type_key, host_country, vip)
  where assignee_id is null;
create index cases_type on cases (case_type_key, status, next_due, seq) include (assignee_id, host_country, vip);
create index cases_country on cases (host_country, status, next_due, seq) include (assignee_id, case_type_key, vip)
  where host_country is not null;
create index cases_vip on cases (status, next_due, seq) where vip;
create index cases_process on cases (process_key, seq) where process_key is not null;
create index cases_company_process on cases (company_set_id, process_key, seq) where process_key is not null;

-- Applicants ----------------------------------------------------------------------------------------------------------

alter table applicants
  add column nationality_key text collate "C"
    generated always as (nullif(upper(left(btrim(record->>'nationality'), 100)), '')) stored,
  add column status_key text collate "C" generated always as (upper(left(record->>'status', 1))) stored;

-- Filters of the search, in the order of names.
create index applicants_nationality on applicants (nationality_key, name_key, applicant_id)
  where archived_at is null;
create index applicants_company_nationality on applicants (company_set_id, nationality_key, name_key, applicant_id)
  where company_set_id is not null and archived_at is null;
create index applicants_status on applicants (status_key, name_key, applicant_id) where archived_at is null;
create index applicants_company_status on applicants (company_set_id, status_key, name_key, applicant_id)
  where company_set_id is not null and archived_at is null;

-- Documents -----------------------------------------------------------------------------------------------------------

alter table documents
  add column expiry_key date generated always as (coalesce(expiry_date::date, 'infinity'::date)) stored,
  add column type_key text collate "C" generated always as (lower(left(btrim(coalesce(
    type, case when case_id is null then 'Applicant document' else 'Case document' end)), 100))) stored,
  add column name_key text collate "C" generated always as (search_key(name)) stored,
  add column reference_key text collate "C" generated always as (search_key(reference_number)) stored;

create unique index documents_seq on documents (seq);
create index documents_expiry on documents (expiry_key, seq)
  include (type_key, country_code, updated_at) where removed_at is null;
create index documents_company_expiry on documents (company_set_id, expiry_key, seq)
  include (type_key, country_code, updated_at) where company_set_id is not null and removed_at is null;
create index documents_type_expiry on documents (type_key, expiry_key, seq) where removed_at is null;
create index documents_country_expiry on documents (country_code, expiry_key, seq)
  where country_code is not null and removed_at is null;
create index documents_without_file on documents (expiry_key, seq) where country_code is null and removed_at is null;
create index documents_name on documents (name_key, seq) where name_key is not null and removed_at is null;
create index documents_company_name on documents (company_set_id, name_key, seq)
  where company_set_id is not null and name_key is not null and removed_at is null;
create index documents_reference on documents (reference_key, seq)
  where reference_key is not null and removed_at is null;

-- What expires --------------------------------------------------------------------------------------------------------

-- Passports and documents with an expiry date, of people who are not archived, kept by triggers: what one list shows, in one
-- order. A passport is left out while its holder has another one of the same country that expires later.
create table expiries (
  seq bigint generated always as identity primary key,
  applicant_id text collate "C" not null references applicants on delete cascade,
  kind text not null check (kind in ('document', 'passport')),
  -- the id of the document or the passport
  item_id text collate "C" not null,
  -- of a document that was uploaded to a case
  case_id text collate "C",
  expires_on date not null,
  company_set_id integer,
  constraint expiries_item unique (applicant_id, kind, item_id)
);

create index expiries_by_date on expiries (kind, expires_on, seq);
create index expiries_company_by_date on expiries (company_set_id, kind, expires_on, seq)
  where company_set_id is not null;

create function passport_expiries(record json) returns table (passport_id text, expires_on date)
  language sql immutable as $$
  select distinct on (p.id) p.id, p.expiry
  from (
    select i.item->>'passportId' as id, left(i.item->>'expiryDate', 10)::date as expiry,
      max(left(i.item->>'expiryDate', 10)::date)
        over (partition by upper(coalesce(i.item->>'country', ''))) as latest
    from json_array_elements(record->'passports') as i (item)
    where i.item->>'expiryDate' ~ '^\d{4}-\d\d-\d\d'
  ) p
  where p.expiry = p.latest and p.id is not null
  order by p.id, p.expiry desc
$$;

insert into expiries (applicant_id, kind, item_id, case_id, expires_on, company_set_id)
select d.applicant_id, 'document', d.document_id, d.case_id, d.expiry_date::date, d.company_set_id
from documents d
join applicants a on a.applicant_id = d.applicant_id
where d.expiry_date is not null and d.removed_at is null and (d.case_id is not null or a.archived_at is null);

insert into expiries (applicant_id, kind, item_id, expires_on, company_set_id)
select a.applicant_id, 'passport', p.passport_id, p.expires_on, a.company_set_id
from applicants a
cross join lateral passport_expiries(a.record) p
where a.archived_at is null;

create function keep_document_expiry() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.applicant_id <> new.applicant_id then
    delete from public.expiries
    where applicant_id = old.applicant_id and kind = 'document' and item_id = new.document_id;
  end if;
  if new.expiry_date is not null and new.removed_at is null and (new.case_id is not null or exists (
    select from public.applicants a where a.applicant_id = new.applicant_id and a.archived_at is null
  )) then
    insert into public.expiries (applicant_id, kind, item_id, case_id, expires_on, company_set_id)
    values (new.applicant_id, 'document', new.document_id, new.case_id, new.expiry_date::date, new.company_set_id)
    on conflict on constraint expiries_item do update
    set case_id = excluded.case_id, expires_on = excluded.expires_on, company_set_id = excluded.company_set_id;
  else
    delete from public.expiries
    where applicant_id = new.applicant_id and kind = 'document' and item_id = new.document_id;
  end if;
  return null;
end
$$;

create trigger documents_expiry_insert
  after insert on documents
  for each row when (new.expiry_date is not null and new.removed_at is null)
  execute function keep_document_expiry();

create trigger documents_expiry_update
  after update on documents
  for each row when (
    (new.expiry_date, new.removed_at, new.company_set_id, new.applicant_id, new.case_id)
    is distinct from (old.expiry_date, old.removed_at, old.company_set_id, old.applicant_id, old.case_id))
  execute function keep_document_expiry();

create function keep_passport_expiries() returns trigger language plpgsql as $$
begin
  if new.archived_at is not null then
    delete from public.expiries where applicant_id = new.applicant_id and case_id is null;
    return null;
  end if;
  delete from public.expiries e
  where e.applicant_id = new.applicant_id and e.kind = 'passport'
    and e.item_id not in (select p.passport_id from public.passport_expiries(new.record) p);
  insert into public.expiries (applicant_id, kind, item_id, expires_on, company_set_id)
  select new.applicant_id, 'passport', p.passport_id, p.expires_on, new.company_set_id
  from public.passport_expiries(new.record) p
  on conflict on constraint expiries_item do update
  set expires_on = excluded.expires_on, company_set_id = excluded.company_set_id
  where (expiries.expires_on, expiries.company_set_id)
    is distinct from (excluded.expires_on, excluded.company_set_id);
  if tg_op = 'UPDATE' and old.archived_at is not null then
    insert into public.expiries (applicant_id, kind, item_id, expires_on, company_set_id)
    select d.applicant_id, 'document', d.document_id, d.expiry_date::date, d.company_set_id
    from public.documents d
    where d.applicant_id = new.applicant_id and d.case_id is null and d.expiry_date is not null
      and d.removed_at is null
    on conflict on constraint expiries_item do nothing;
  end if;
  return null;
end
$$;

create trigger applicants_expiries_insert
  after insert on applicants
  for each row when (new.archived_at is null and (new.record->'passports'->0) is not null)
  execute function keep_passport_expiries();

-- Without a list of columns: triggers that run before an update change the company too.
create trigger applicants_expiries_update
  after update on applicants
  for each row when (
    new.company_set_id is distinct from old.company_set_id
    or (new.archived_at is null) <> (old.archived_at is null)
    or (new.record->>'passports') is distinct from (old.record->>'passports'))
  execute function keep_passport_expiries();

-- Saved views -----------------------------------------------------------------------------------------------------------

create table saved_views (
  view_id text collate "C" primary key,
  -- the client id of the caller, which is user:<userId> for a person
  owner_id text collate "C" not null,
  screen text not null,
  name text not null,
  name_key text collate "C" not null,
  query json not null,
  -- whether everyone sees it whose companies include those of the owner
  shared boolean not null,
  -- of the owner when it was saved; null is all of them
  companies text[] collate "C",
  version integer not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint saved_views_name unique (owner_id, screen, name_key)
);

create index saved_views_shared on saved_views (screen, name_key) where shared;

-- Webhooks --------------------------------------------------------------------------------------------------------------

-- Which webhooks have a delivery that failed and is tried again.
create index webhook_deliveries_retried on webhook_deliveries (webhook_id)
  where state = 'pending' and (last_status is not null or last_error is not null);

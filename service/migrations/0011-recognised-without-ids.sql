-- People and items are recognised without ids of ours.

-- A dependent that comes back is looked for among those who left.
create index applicants_archived_dependents on applicants (primary_id, seq)
  where primary_id is not null and archived_at is not null;

-- The ids of passports, tags and previous names in the record, so that an id that belongs to another person is found.
-- Documents have a table of their own.
alter table applicants add column item_ids text[] collate "C" not null default '{}';

update applicants a
set item_ids = i.ids
from (
  select applicant_id, array_agg(item_id) as ids
  from applicants,
    lateral (
      select item->>'passportId' as item_id from json_array_elements(record->'passports') item
      union all
      select item->>'noteId' from json_array_elements(record->'metaData') item
      union all
      select item->>'previousNameId' from json_array_elements(record->'previousNames') item
    ) items
  group by applicant_id
) i
where i.applicant_id = a.applicant_id;

create index applicants_item_ids on applicants using gin (item_ids);

-- A document that was taken out of its record stays, unseen: when it comes back it is the same document, and nobody is
-- reminded of the same expiry twice. `reminder_days` is what reads of applicants show of its schedule.
alter table documents
  add column removed_at timestamptz(3),
  add column reminder_days integer not null default 0;

update documents d
set reminder_days = least(3650, case
  when r.value ~ '^\d{1,4}(\s*,\s*\d{1,4})*$'
    then (select max(day::integer) from regexp_split_to_table(r.value, '\s*,\s*') day)
  when r.value ~ '^P(\d+[YMWD])+$' then
    case when d.expiry_date is null then extract(day from r.value::interval)::integer
      + extract(month from r.value::interval)::integer * 30
      + extract(year from r.value::interval)::integer * 360
    else d.expiry_date::date - (d.expiry_date::date - r.value::interval)::date end
  when r.value ~ '^\d{4}-\d{2}-\d{2}' and d.expiry_date is not null
    then greatest(0, d.expiry_date::date - substr(r.value, 1, 10)::date)
  else 0 end)
from (
  select document_id, regexp_replace(expiry_reminder #>> '{}', '^\s+|\s+$', '', 'g') as value
  from documents
  where expiry_reminder is not null
) r
where r.document_id = d.document_id;

create index documents_removed on documents (applicant_id, removed_at) where removed_at is not null;

create or replace function check_renewal() returns trigger language plpgsql as $$
begin
  if new.remind_about_renewal and new.expiry_date is not null and new.removed_at is null then
    insert into renewal_checks (document_id, check_on, ladder) values (new.document_id, '-infinity', '')
    on conflict (document_id) do update set check_on = excluded.check_on;
  else
    delete from renewal_checks where document_id = new.document_id;
  end if;
  return null;
end
$$;

drop trigger documents_check_renewal_update on documents;
create trigger documents_check_renewal_update
  after update of expiry_date, remind_about_renewal, expiry_reminder, removed_at on documents
  for each row when (
    (new.expiry_date, new.remind_about_renewal, new.expiry_reminder, new.removed_at)
    is distinct from (old.expiry_date, old.remind_about_renewal, old.expiry_reminder, old.removed_at))
  execute function check_renewal();

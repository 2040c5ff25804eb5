-- Which way of folding the three search columns were made with. A row of an older way is found by its old spellings only,
-- until a background worker has made its columns anew (applicants/search-keys.worker.ts).
alter table applicants add column keys_version smallint not null default 0;
-- Empty once all rows are up to date. A new way of folding needs a new index, with its number in place of 1.
create index applicants_old_keys on applicants (applicant_id) where keys_version < 1;

-- A page of a search is read from one index in order, and what it does not show is not in that index: archived records
-- do not slow down the search of live ones, nor the other way round.
drop index applicants_name;
drop index applicants_name_reversed;
drop index applicants_archived;
create index applicants_name on applicants (name_key, applicant_id) where archived_at is null;
create index applicants_name_reversed on applicants (name_key_reversed, applicant_id) where archived_at is null;
create index applicants_archived_name on applicants (name_key, applicant_id) where archived_at is not null;
create index applicants_archived_name_reversed on applicants (name_key_reversed, applicant_id)
  where archived_at is not null;
create index applicants_archived_number on applicants (employee_number) where archived_at is not null;

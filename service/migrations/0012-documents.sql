-- Interrupted uploads are marked in one transaction and removed after it: an upload whose row is marked is never
-- acknowledged, so its bytes belong to no document.
alter table pending_uploads add column doomed_at timestamptz(3);

-- Lists of documents by case, person and country, each walked in an index that ends in (date, seq). The country code is that
-- of the file; it is repeated here, because an index cannot reach into another table.
alter table documents add column country_code text;

update documents d set country_code = f.country_code
from document_files f where f.document_id = d.document_id;

-- Documents that were removed from their record are in none of these lists, and in none of these indexes.
drop index documents_updated;
drop index documents_changed_later;
drop index documents_of_case;
drop index documents_of_person;
create index documents_updated on documents (updated_at, seq) where removed_at is null;
create index documents_of_case on documents (case_id, updated_at, seq) where case_id is not null and removed_at is null;
create index documents_of_person on documents (applicant_id, updated_at, seq) where removed_at is null;
create index documents_of_country on documents (country_code, updated_at, seq)
  where country_code is not null and removed_at is null;
-- Those that were changed after their creation are also listed at their creation. `<>` where documents_changed_later has `>`:
-- they mean the same, but a list with a filter must never be walked in the index of all documents, however few countries
-- there are to choose from.
create index documents_changed_later on documents (created_at, seq) include (updated_at)
  where updated_at > created_at and removed_at is null;
create index documents_of_case_changed_later on documents (case_id, created_at, seq) include (updated_at)
  where case_id is not null and updated_at <> created_at and removed_at is null;
create index documents_of_person_changed_later on documents (applicant_id, created_at, seq) include (updated_at)
  where updated_at <> created_at and removed_at is null;
create index documents_of_country_changed_later on documents (country_code, created_at, seq) include (updated_at)
  where country_code is not null and updated_at <> created_at and removed_at is null;

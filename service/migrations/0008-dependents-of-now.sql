-- A nightly PUT that names its dependents by neither id nor number archives them each time and makes new ones. What is
-- read of a family is who belongs to it now; it must not walk through everybody who once did.
create index applicants_dependents_now on applicants (primary_id, seq) where primary_id is not null and archived_at is null;
drop index applicants_dependents;
alter index applicants_dependents_now rename to applicants_dependents;

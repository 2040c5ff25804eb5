-- tolerated by releases from 28
-- PostgreSQL keeps the plan of a trigger's statement until the statistics of its tables change. Planned while `applicants` was
-- small, the `exists` became a scan of all applicants for each statement. A lateral lookup is always made by the key.
create or replace function follow_new_documents() returns trigger language plpgsql as $$
begin
  insert into public.expiries (applicant_id, kind, item_id, case_id, expires_on, company_set_id)
  select d.applicant_id, 'document', d.document_id, d.case_id, d.expiry_date::date, d.company_set_id
  from inserted d
  left join lateral (
    select true as found from public.applicants a
    where a.applicant_id = d.applicant_id and a.archived_at is null
    limit 1
  ) live on true
  where d.expiry_date is not null and d.removed_at is null and (d.case_id is not null or live.found);
  insert into public.renewal_checks (document_id, check_on, ladder)
  select d.document_id, '-infinity', '' from inserted d
  where d.remind_about_renewal and d.expiry_date is not null and d.removed_at is null;
  return null;
end
$$;

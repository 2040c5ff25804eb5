-- tolerated by releases from 28
-- PostgreSQL keeps the plans of a plpgsql function for the session. Those of an SQL function were made again in each transaction.
create or replace function company_of_key(key text) returns text language plpgsql stable as $$
begin
  return (
    select c.company_id from public.companies c
    where lower(c.company_id) = key or c.code_key = key or c.name_key = key
    order by (lower(c.company_id) = key) desc, (c.code_key = key) desc nulls last
    limit 1
  );
end
$$;

-- The steps of a new case are inserted with its companies, which are looked up once and not once for each step.
create or replace trigger case_steps_place
  before insert on case_steps
  for each row when (new.company_set_id is null)
  execute function place_part_of_case();

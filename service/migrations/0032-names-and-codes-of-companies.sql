-- tolerated by releases from 28
-- A text names a company by its name, code or id, so that these share one namespace: a company whose code is the name of
-- another one would take the other one's people. Companies that are in conflict already stay as they are.
create or replace function lock_company_keys() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7227014);
  perform set_config('caseport.placed_key', '', true);
  if new.name_key is distinct from old.name_key and exists (
    select from public.companies c
    where c.company_id <> new.company_id and (c.code_key = new.name_key or lower(c.company_id) = new.name_key)
  ) then
    raise exception 'The name is the code or id of another company.'
      using errcode = 'unique_violation', constraint = 'companies_name', table = 'companies';
  end if;
  if new.code_key is distinct from old.code_key and exists (
    select from public.companies c
    where c.company_id <> new.company_id and (c.name_key = new.code_key or lower(c.company_id) = new.code_key)
  ) then
    raise exception 'The code is the name or id of another company.'
      using errcode = 'unique_violation', constraint = 'companies_code', table = 'companies';
  end if;
  return new;
end
$$;

-- Callers of an external issuer whose tokens are rejected. They have no row in clients unless an operator made one.
create table blocked_callers (
  block_id text collate "C" primary key,
  -- oidc:<issuer>:<subject>:<client>, or without subject or client for all of them
  caller text collate "C" not null,
  reason text not null,
  -- the client or person that blocked it
  created_by text not null,
  created_at timestamptz(3) not null,
  constraint blocked_callers_caller unique (caller)
);

-- Which client or person uploaded a file. Null for files of earlier releases, which count for no client.
alter table document_files add column uploaded_by text;

-- The bytes of the live documents that each client or person has uploaded.
create table upload_usage (
  client_id text collate "C" primary key,
  bytes bigint not null
);

-- A removed document gives its bytes back, a restored one takes them again.
create function count_upload_usage() returns trigger language plpgsql as $$
begin
  update upload_usage u
  set bytes = u.bytes + case when new.removed_at is null then f.size else -f.size end
  from document_files f
  where f.document_id = new.document_id and u.client_id = f.uploaded_by;
  return null;
end
$$;

create trigger documents_upload_usage
  after update of removed_at on documents
  for each row when ((old.removed_at is null) <> (new.removed_at is null))
  execute function count_upload_usage();

-- A webhook belongs to the client that created it, and receives what that client may read.

-- Null on a webhook of the operator, as on all that exist.
alter table webhooks add column client_id text references clients;

create index webhooks_of_client on webhooks (client_id);

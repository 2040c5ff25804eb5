-- Who may call: clients with their secrets and API keys, and the keys that sign access tokens.

create table clients (
  client_id text primary key,
  name text not null,
  scopes text[] not null,
  -- scrypt, never the secret itself
  secret_hash text not null,
  -- the secret before the last rotation, good until its grace ends
  previous_secret_hash text,
  previous_secret_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  disabled_at timestamptz
);

create index clients_disabled on clients (client_id) where disabled_at is not null;

create table api_keys (
  key_id text primary key,
  client_id text not null references clients,
  name text not null,
  -- SHA-256 of a random key
  key_hash bytea not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);

create unique index api_keys_live on api_keys (client_id, key_hash) where revoked_at is null;

create table signing_keys (
  kid text primary key,
  -- a token of this key names this issuer; a new public address gets a new key
  issuer text not null,
  private_jwk jsonb not null,
  created_at timestamptz not null,
  -- published before it signs, so that every verifier knows it by then
  signs_from timestamptz not null
);

create index signing_keys_newest on signing_keys (signs_from desc);

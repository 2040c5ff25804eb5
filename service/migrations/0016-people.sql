-- People who sign in: users with their roles, invitations, credentials and sessions.

create table users (
  user_id text collate "C" primary key,
  email text not null,
  -- folded: addresses that differ in case are one user
  email_key text not null,
  name text not null,
  roles text[] not null,
  -- ids of companies; null is all of them
  companies text[],
  active boolean not null default true,
  -- null until an invitation was accepted, or the external issuer has signed the person in
  joined_at timestamptz(3),
  version integer not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint users_email unique (email_key)
);

create table invitations (
  -- SHA-256 of the random token in the link
  token_hash bytea primary key,
  -- null: the link makes the first user
  user_id text collate "C" references users on delete cascade,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);

create index invitations_of_user on invitations (user_id);

create table user_passwords (
  user_id text collate "C" primary key references users on delete cascade,
  -- argon2id with its parameters
  hash text not null,
  changed_at timestamptz(3) not null
);

create table user_totp (
  user_id text collate "C" primary key references users on delete cascade,
  -- sealed
  seed text not null,
  confirmed_at timestamptz(3),
  -- a code is accepted once: the last time step that was used
  last_step bigint
);

create table recovery_codes (
  user_id text collate "C" not null references users on delete cascade,
  -- SHA-256 of 80 random bits; the row is deleted when the code is used
  code_hash bytea not null,
  primary key (user_id, code_hash)
);

create table passkeys (
  -- Base64url, as authenticators name it
  credential_id text collate "C" primary key,
  passkey_id text collate "C" not null,
  user_id text collate "C" not null references users on delete cascade,
  name text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  constraint passkeys_id unique (passkey_id)
);

create index passkeys_of_user on passkeys (user_id);

create table user_identities (
  issuer text not null,
  subject text not null,
  user_id text collate "C" not null references users on delete cascade,
  primary key (issuer, subject)
);

create index user_identities_of_user on user_identities (user_id);

create table sessions (
  session_id text collate "C" primary key,
  -- SHA-256 of the random token in the cookie
  token_hash bytea not null,
  user_id text collate "C" not null references users on delete cascade,
  method text not null,
  address text,
  user_agent text not null,
  created_at timestamptz(3) not null,
  -- written at most once a minute
  last_seen_at timestamptz(3) not null,
  ended_at timestamptz(3),
  constraint sessions_token unique (token_hash)
);

create index sessions_of_user on sessions (user_id, created_at);
create index sessions_by_age on sessions (created_at);

-- What a sign-in in progress has to remember between two requests.
create table sign_in_challenges (
  token_hash bytea primary key,
  kind text not null,
  user_id text collate "C" references users on delete cascade,
  data jsonb not null,
  expires_at timestamptz(3) not null
);

create index sign_in_challenges_by_age on sign_in_challenges (expires_at);

-- A caller who is limited to companies may look at users too; which ones is decided by the service.
do $$
declare name text;
begin
  if exists (select from pg_namespace where nspname = 'limited') then
    foreach name in array array['users', 'invitations', 'user_passwords', 'user_totp', 'recovery_codes', 'passkeys',
      'user_identities', 'sessions', 'sign_in_challenges']
    loop
      execute format('create view limited.%I as select * from public.%I', name, name);
    end loop;
  end if;
end $$;

#!/bin/sh
# The login of the service, which has no DDL. The image of PostgreSQL runs this when its volume is empty.
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$SERVICE_PASSWORD" --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
create role caseport_service login password :'password';
SQL

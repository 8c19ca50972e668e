#!/bin/bash
# Reads POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB, POSTGRES_INITDB_ARGS and /docker-entrypoint-initdb.d/*.sql, as the image of
# PostgreSQL does.
set -euo pipefail
: "${PGDATA:=/var/lib/postgresql/18/docker}" "${POSTGRES_USER:=postgres}"
: "${POSTGRES_DB:=$POSTGRES_USER}" "${POSTGRES_PASSWORD:?}"
export PGDATA
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA"
  chmod 0700 "$PGDATA"
  # shellcheck disable=SC2086
  initdb --username="$POSTGRES_USER" --pwfile=<(echo "$POSTGRES_PASSWORD") --auth=scram-sha-256 --auth-local=trust ${POSTGRES_INITDB_ARGS:-}
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  {
    [ "$POSTGRES_DB" = postgres ] || echo "CREATE DATABASE \"$POSTGRES_DB\";"
    cat /docker-entrypoint-initdb.d/*.sql 2>/dev/null || true
  } >/tmp/first.sql
  # One statement a line: single-user mode reads no further.
  postgres --single -D "$PGDATA" postgres </tmp/first.sql >/dev/null
  echo 'PostgreSQL init process complete; ready for start up.'
fi
exec "$@" -c listen_addresses='*' -c unix_socket_directories=/tmp

# Settings and functions that the scripts in this folder share.
# shellcheck shell=bash
set -euo pipefail
umask 077
shopt -s nullglob
export LC_ALL=C TZ=UTC

fail() {
  echo "${0##*/}: $*" >&2
  exit 1
}

SCRIPTS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${BACKUP_SETTINGS:=/etc/caseport-backup/backup.env}"
[ -r "$BACKUP_SETTINGS" ] || fail "cannot read $BACKUP_SETTINGS: copy deploy/backup/backup.example.env there"
set -a
# shellcheck disable=SC1090
. "$BACKUP_SETTINGS"
set +a
export BACKUP_SETTINGS
: "${KEEP_DAYS:=14}" "${DATA_OWNER:=postgres}" "${SUPERUSER:=postgres}" "${FILES_OWNER:=caseport}" "${METRICS:=}"
[ -n "${BACKUP:-}" ] || fail "BACKUP is empty in $BACKUP_SETTINGS: set it to the folder of the backups"
[[ $KEEP_DAYS =~ ^[0-9]+$ ]] || fail "KEEP_DAYS is $KEEP_DAYS in $BACKUP_SETTINGS: expected a number of days"
for program in age zstd; do
  command -v "$program" >/dev/null || fail "$program is missing: apt-get install age zstd"
done

CODES=(us edu uk fr de ir es ch)

require_recipients() {
  [ -s "${RECIPIENTS:-}" ] || fail "RECIPIENTS (${RECIPIENTS:-empty}) has no public key: see $BACKUP_SETTINGS"
}

# A folder that is missing is a disk that is not mounted: it is not created.
require_folder() {
  [ -d "$BACKUP/$1" ] || fail "$BACKUP/$1 does not exist: mount the disk of the backups, or create it as docs/operations.md says"
}

sql() { psql --no-psqlrc --no-align --tuples-only --quiet --no-password --set=ON_ERROR_STOP=1 "$@"; }

# The directory of each repository that is one, as lines of `code directory`.
repositories() {
  local code own location
  for code in "${CODES[@]}"; do
    own=REPOSITORY_${code^^}
    location=${!own:-}
    if [ -z "$location" ]; then
      location=${REPOSITORIES:-}
      case $location in
        file:*'{code}'*) ;;
        file:*) location=$location/'{code}' ;;
      esac
    fi
    location=${location//'{code}'/$code}
    case $location in
      file://*) echo "$code ${location#file://}" ;;
      file:*) echo "$code ${location#file:}" ;;
      s3:*) ;;
      *) fail "REPOSITORIES in $BACKUP_SETTINGS: expected file:<directory> or s3://<bucket>" ;;
    esac
  done
}

# What `info` files have: lines of `name value`.
value_of() { sed -n "s/^$2 //p" "$1"; }

# Writes standard input to a file that appears complete or not at all, and survives a power cut.
write_durably() {
  local new
  new=$(mktemp "$(dirname "$1")/.new.XXXXXXXX")
  cat >"$new"
  sync "$new"
  mv -T "$new" "$1"
  sync "$(dirname "$1")"
}

# A segment is in a folder with those of the same 4 GiB; its name ends in the digest of its plain content, because two
# encryptions of the same content differ.
wal_folder() {
  case $1 in
    *.history) echo "$BACKUP/wal" ;;
    *) echo "$BACKUP/wal/${1:0:16}" ;;
  esac
}
check_wal_name() {
  [[ $1 =~ ^([0-9A-F]{24}(\.partial|\.[0-9A-F]{8}\.backup)?|[0-9A-F]{8}\.history)$ ]] || fail "$1 is not the name of a file of WAL"
}

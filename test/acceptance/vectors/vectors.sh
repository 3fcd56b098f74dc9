#!/usr/bin/env bash
# Judges vectors by the functions of the curl sample. One vector a line, its fields separated by tabs.
. "$(dirname "$0")/../../../docs/samples/curl/sample.sh"
set +e

body=$(mktemp)
trap 'rm -f "$body"' EXIT
# A tab is white space, of which bash takes several for one: not so of the unit separator.
tr '\t' '\037' | while IFS=$'\037' read -r secret now id timestamp signatures signature previous encoded; do
  openssl base64 -d -A <<<"$encoded" >"$body"
  by_body=false by_webhook=false
  verify_body "$body" "$signature" "$previous" "$secret" && by_body=true
  verify "$body" "$id" "$timestamp" "$signatures" "$secret" "$now" && by_webhook=true
  echo "$by_body $by_webhook"
done

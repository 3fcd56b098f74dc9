#!/usr/bin/env bash
# A whole payment, from the token to the refund, with bash, curl and openssl.
#
#   . docs/samples/environment.sh
#   docs/samples/curl/sample.sh
#
# A shell is no web server: the notifications go to the receiver of the local environment, and are verified here.
set -euo pipefail

# 1. The signature. openssl takes keys on its command line, where others on this machine can see them, and a shell does
#    not compare in constant time: good for a look at a notification, not for a server.

# verify FILE ID TIMESTAMP SIGNATURES SECRET [NOW]: the scheme of Standard Webhooks. It covers the id, the time of this
# attempt and the bytes of the body. While a secret is being rotated there is one signature for each secret.
verify() {
  local file=$1 id=$2 timestamp=$3 signatures=$4 secret=$5 now=${6:-$(date +%s)} key expected one
  [[ -n $id && $timestamp =~ ^[1-9][0-9]{0,11}$ ]] || return 1
  ((now - timestamp <= 300 && timestamp - now <= 300)) || return 1
  key=$(printf %s "${secret#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
  expected=$({ printf %s. "$id" "$timestamp"; cat "$file"; } |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
  for one in $signatures; do
    if [[ $one == "v1,$expected" ]]; then return 0; fi
  done
  return 1
}

# verify_body FILE SIGNATURE PREVIOUS SECRET: the simpler scheme, X-Signature-SHA256. It covers the body alone.
verify_body() {
  local file=$1 signature=$2 previous=$3 secret=$4 expected
  expected=sha256=$(openssl dgst -sha256 -mac HMAC -macopt "key:$secret" -r <"$file" | cut -d ' ' -f 1)
  [[ $signature == "$expected" || $previous == "$expected" ]]
}

# 2. The token. Get one and keep it until it expires: a token for each call costs you a call each time.

# Secrets go to curl by its standard input (--config -), not by its command line.
token() {
  printf 'data-urlencode = "%s"\n' grant_type=client_credentials "client_id=$CLIENT_ID" \
    "client_secret=$CLIENT_SECRET" "scope=$SCOPE" |
    curl --silent --show-error --fail --max-time 30 --config - "$TOKEN_URL" | text access_token
}

# 3. A call. After 429, 503 and 504, and when the connection broke (000), nobody knows whether the request took effect.
#    Send the same request with the SAME idempotency key again: it cannot happen twice. A new key would pay twice.

# call METHOD PATH BODY [KEY]
call() {
  local method=$1 path=$2 body=$3 key=${4:-} attempt status wait
  for attempt in 1 2 3 4 5; do
    : | tee "$work/head" >"$work/answer"
    status=$({
      printf 'header = "authorization: Bearer %s"\n' "$TOKEN"
      printf 'header = "content-type: application/json"\n'
      if [[ -n $key ]]; then printf 'header = "idempotency-key: %s"\n' "$key"; fi
    } | curl --silent --max-time 30 --config - --request "$method" --data "$body" --dump-header "$work/head" \
      --output "$work/answer" --write-out '%{http_code}' "$BASE_URL$path") || status=000
    case $status in
      2??) cat "$work/answer" && return ;;
      000 | 429 | 503 | 504) wait=$(grep -i '^retry-after:' "$work/head" | tr -dc 0-9) || true ;;
      *) break ;;
    esac
    sleep "${wait:-$attempt}"
  done
  # "details" names every faulty field: write it to your log.
  echo "$method $path was answered $status: $(cat "$work/answer")" >&2
  return 1
}

# The first text of this name in the JSON of the standard input. Where you have jq, use jq.
text() {
  grep -o "\"$1\": *\"[^\"]*\"" | sed -n '1s/.*: *"\(.*\)"/\1/p'
}

# 4. A notification, as the receiver of the local environment shows it: wait for it, then verify its bytes.

# notified URL EVENT
notified() {
  local url=$1 event=$2 looks shown
  for ((looks = 0; looks < 300; looks++)); do
    shown=$(curl --silent --max-time 30 "$url")
    if text bytes <<<"$shown" | openssl base64 -d -A >"$work/body" && [[ $(text event <"$work/body") == "$event" ]]; then
      verify "$work/body" "$(text webhook-id <<<"$shown")" "$(text webhook-timestamp <<<"$shown")" \
        "$(text webhook-signature <<<"$shown")" "$WEBHOOK_SECRET" && return
      echo "$event came, but not signed with our secret, or not now." >&2
      return 1
    fi
    sleep 0.2
  done
  echo "$event did not come. GET /order/v1/webhook/deliveries says why." >&2
  return 1
}

new_key() { openssl rand -hex 16; }
say() { printf '%-16s %s\n' "$1" "$2"; }

# 5. The payment.

pay() {
  local receiver order refund id key
  TOKEN=$(token)
  receiver=$BASE_URL/receiver/sample-$(new_key)
  call PUT /order/v1/webhook '{ "events": [
    { "type": "PAYIN", "endpoint": "'"$receiver-paid"'" },
    { "type": "PAYIN_REFUND", "endpoint": "'"$receiver-refunded"'" }
  ] }' >/dev/null
  say receiver "$receiver"

  # Write the key down with the order, before the call: after a crash you repeat the call with the same key.
  key=$(new_key)
  # Amounts are texts: 29.90 as a binary fraction is not 29.90.
  order=$(call POST /order/v1/banking/order-payins '{
    "externalId": "sample-'"$(new_key)"'",
    "accountId": "'"$ACCOUNT_ID"'",
    "amount": { "currency": "BRL", "value": "29.90" },
    "description": "Café da manhã",
    "payer": { "name": "Maria Souza", "document": { "type": "CPF", "number": "52998224725" } }
  }' "$key")
  id=$(text id <<<"$order")
  say pay-in "$id $(text status <<<"$order")"
  say 'QR code' "$(text qrcodeData <<<"$order")"

  # Your customer pays in their bank's app. Here the simulation tool plays the bank.
  call PUT /order-tools/v1/order/status '{ "id": "'"$id"'", "status": "PAID" }' >/dev/null
  notified "$receiver-paid" ORDER-PAYIN.PAID
  say paid 'ORDER-PAYIN.PAID came, and its signature is good'

  key=$(new_key)
  refund=$(call POST "/order/v1/banking/order-payins/$id/refunds" '{ "description": "Pedido cancelado" }' "$key")
  say refund "$(text refundId <<<"$refund") $(text status <<<"$refund")"

  call PUT /order-tools/v1/order/status '{ "id": "'"$id"'", "status": "REFUNDED" }' >/dev/null
  notified "$receiver-refunded" ORDER-PAYIN.REFUNDED
  [[ $(text refundId <"$work/body") == "$(text refundId <<<"$refund")" ]]
  say refunded 'ORDER-PAYIN.REFUNDED came, and its signature is good'
}

# Sourced by another script, it only gives its functions.
if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  : "${BASE_URL:?is not set: . docs/samples/environment.sh}"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  pay
fi

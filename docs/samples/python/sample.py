"""A whole payment, from the token to the refund, with Python's standard library alone (3.9 or newer).

    . docs/samples/environment.sh
    python3 docs/samples/python/sample.py            the payment
    python3 docs/samples/python/sample.py receive    the receiver alone, for npm run check-receiver
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# 1. The signature.


def verify(raw_body, headers, secret, now=None, tolerance=300):
    """The id of a genuine notification, or None.

    raw_body: the bytes as they came; JSON that was parsed and written again has other bytes.
    headers: anything with get(name); secret: the whole text, whsec_...

    The signature of Standard Webhooks covers the id, the time of this attempt and the body: an old notification that
    somebody recorded does not pass. While a secret is being rotated there is one signature for each secret.
    """
    message_id = headers.get("webhook-id")
    timestamp = headers.get("webhook-timestamp")
    signatures = headers.get("webhook-signature")
    if not (message_id and timestamp and signatures):
        return None
    now = time.time() if now is None else now
    if not timestamp.isascii() or not timestamp.isdigit() or abs(now - int(timestamp)) > tolerance:
        return None
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + raw_body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # compare_digest takes the same time however much of a guess is right.
    matches = [hmac.compare_digest(one.encode(), expected) for one in signatures.split(" ")]
    return message_id if any(matches) else None


def verify_body(raw_body, headers, secret):
    """The simpler scheme, X-Signature-SHA256: it covers the body and neither the id nor the time."""
    digest = "sha256=" + hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()
    given = [headers.get("x-signature-sha256"), headers.get("x-signature-sha256-previous")]
    return any([one is not None and hmac.compare_digest(one.encode(), digest.encode()) for one in given])


# 2. The token. Keep it until shortly before it expires: a token for each call costs you a call each time.

kept = {"token": "", "until": 0.0}


def token():
    if time.time() < kept["until"]:
        return kept["token"]
    form = {
        "grant_type": "client_credentials",
        "client_id": setting("CLIENT_ID"),
        "client_secret": setting("CLIENT_SECRET"),
        "scope": setting("SCOPE"),
    }
    with urllib.request.urlopen(setting("TOKEN_URL"), urllib.parse.urlencode(form).encode(), timeout=30) as answer:
        read = json.load(answer)
    kept.update(token=read["access_token"], until=time.time() + read["expires_in"] - 60)
    return kept["token"]


# 3. A call. After 429, 503 and 504, and when the connection broke, nobody knows whether the request took effect. Send
#    the same request with the SAME idempotency key again: it cannot happen twice. A new key would pay twice.

ATTEMPTS_AT_MOST = 5


def call(method, path, body=None, key=None):
    for attempt in range(1, ATTEMPTS_AT_MOST + 1):
        request = urllib.request.Request(setting("BASE_URL") + path, method=method)
        request.add_header("authorization", f"Bearer {token()}")
        if body is not None:
            request.add_header("content-type", "application/json")
            request.data = json.dumps(body).encode()
        if key is not None:
            request.add_header("idempotency-key", key)
        wait = 0.5 * 2**attempt
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            # "details" names every faulty field: write it to your log.
            text = refusal.read().decode()
            if refusal.code not in (429, 503, 504) or attempt == ATTEMPTS_AT_MOST:
                raise SystemExit(f"{method} {path} was answered {refusal.code}: {text}") from None
            wait = float(refusal.headers.get("retry-after", wait))
        except OSError as error:
            if attempt == ATTEMPTS_AT_MOST:
                raise SystemExit(f"{method} {path} was not answered: {error}") from None
        time.sleep(wait)


# 4. The receiver. Verify the raw bytes, keep the notification, answer, and only then work: what you answer with 2xx is
#    not sent again, and an answer after ten seconds is none.

# In your system: a table with the id as its key, written before you answer.
seen = set()
received = []
lock = threading.Lock()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # Of web frameworks: request.get_data() in Flask, request.body in Django; not request.json, which loses the bytes.
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        message_id = verify(raw, self.headers, setting("WEBHOOK_SECRET"))
        if message_id is None:
            print("refused          not signed with our secret, or not now", flush=True)
            self.answer(401, b"")
            return
        with lock:
            # The same webhook-id is the same notification: it can arrive twice, and be resent.
            if message_id not in seen:
                seen.add(message_id)
                # Fields may be added: read those that you know, and leave the others alone.
                received.append(json.loads(raw))
        self.answer(200, b'{"returnCode":"SUCCESS"}')

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Silent: what matters is printed above."""


def notified(event, order_id):
    """Notifications can overtake each other, so wait for the one that is meant, not for the next."""
    for _ in range(600):
        with lock:
            for one in received:
                if one["event"] == event and one["id"] == order_id:
                    return one
        time.sleep(0.1)
    raise SystemExit(f"{event} did not come. GET /order/v1/webhook/deliveries says why.")


# 5. The payment.


def pay(receiver_url):
    events = [{"type": kind, "endpoint": receiver_url} for kind in ("PAYIN", "PAYIN_REFUND")]
    call("PUT", "/order/v1/webhook", {"events": events})
    say("receiver", receiver_url)

    order = call(
        "POST",
        "/order/v1/banking/order-payins",
        {
            "externalId": f"sample-{uuid.uuid4()}",
            "accountId": setting("ACCOUNT_ID"),
            # Amounts are texts: 29.90 as a binary fraction is not 29.90.
            "amount": {"currency": "BRL", "value": "29.90"},
            "description": "Café da manhã",
            "payer": {"name": "Maria Souza", "document": {"type": "CPF", "number": "52998224725"}},
        },
        # Write the key down with the order, before the call: after a crash you repeat the call with the same key.
        key=str(uuid.uuid4()),
    )
    say("pay-in", f"{order['id']} {order['status']}")
    say("QR code", order["qrcodeData"])

    # Your customer pays in their bank's app. Here the simulation tool plays the bank.
    call("PUT", "/order-tools/v1/order/status", {"id": order["id"], "status": "PAID"})
    notified("ORDER-PAYIN.PAID", order["id"])
    say("paid", "ORDER-PAYIN.PAID came, and its signature is good")

    refund = call(
        "POST",
        f"/order/v1/banking/order-payins/{order['id']}/refunds",
        {"description": "Pedido cancelado"},
        key=str(uuid.uuid4()),
    )
    say("refund", f"{refund['refundId']} {refund['status']}")

    call("PUT", "/order-tools/v1/order/status", {"id": order["id"], "status": "REFUNDED"})
    told = notified("ORDER-PAYIN.REFUNDED", order["id"])
    if told["refundId"] != refund["refundId"]:
        raise SystemExit(f"Another refund was told of: {told['refundId']}.")
    say("refunded", "ORDER-PAYIN.REFUNDED came, and its signature is good")


def say(what, value):
    print(f"{what:<16} {value}", flush=True)


def setting(name):
    value = os.environ.get(name)
    if not value:
        raise SystemExit(f"{name} is not set: . docs/samples/environment.sh")
    return value


def main():
    port = int(os.environ.get("RECEIVER_PORT", "4000"))
    server = ThreadingHTTPServer(("127.0.0.1", port), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    say("listening", "ready for notifications")
    if sys.argv[1:] == ["receive"]:
        threading.Event().wait()
    pay(os.environ.get("RECEIVER_URL", f"http://127.0.0.1:{port}/notifications"))


if __name__ == "__main__":
    main()

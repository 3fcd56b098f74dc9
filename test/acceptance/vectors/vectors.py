"""Judges vectors by the functions of the Python sample. One vector a line, its fields separated by tabs."""

import base64
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "docs/samples/python"))
import sample  # noqa: E402

for line in sys.stdin:
    secret, now, message_id, timestamp, signatures, signature, previous, body = line.rstrip("\n").split("\t")
    given = {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": signatures,
        "x-signature-sha256": signature,
        "x-signature-sha256-previous": previous,
    }
    headers = {name: value for name, value in given.items() if value}
    raw = base64.b64decode(body)
    webhook = sample.verify(raw, headers, secret, now=int(now)) is not None
    print(sample.verify_body(raw, headers, secret), webhook)

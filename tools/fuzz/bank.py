"""The bank answers half of what a walk makes at once: refunds and charges need what was paid and accepted."""

import urllib.parse
import zlib

import requests
import schemathesis

from walk import operation_of

ANSWERS = {
    "createPayIn": ("/order-tools/v1/order/status", "PAID"),
    "createSubscription": ("/order-tools/v1/banking/subscription/status", "ACCEPTED"),
}


@schemathesis.check
def is_answered_by_bank(ctx, response, case):
    """The tool that plays the bank takes its word; 409 when the key is repeated and the bank has spoken."""
    answer = ANSWERS.get(operation_of(case))
    if answer is None or response.status_code != 201:
        return
    made = response.json()["id"]
    if zlib.crc32(made.encode()) % 2 == 0:
        return
    path, status = answer
    url = urllib.parse.urljoin(response.request.url, path)
    headers = {"authorization": response.request.headers["Authorization"]}
    said = requests.put(url, json={"id": made, "status": status}, headers=headers, timeout=30)
    if said.status_code not in (200, 409):
        raise AssertionError(f"{said.status_code} to {status} of the bank: {said.text}")

"""Faults that a request injects by its header (decision 24), and the responses that the document allows for them."""

import copy
import json
import random

import requests
import schemathesis

from walk import WALK

SHARE = 0.1
HEADER = "x-simulate"
ANSWERS = {"lost-reply": 504, "unavailable": 503, "too-many-requests": 429}
VALUES = [*ANSWERS, "slow=20"]


def name_fault(case):
    """Gives one request in ten a fault. The request itself draws it: Hypothesis ends a walk that it cannot repeat."""
    sent = [WALK["seed"], case.method, case.formatted_path, case.query, repr(case.body), dict(case.headers or {})]
    chance = random.Random(json.dumps(sent, default=str))
    if chance.random() < SHARE:
        case.headers = {**(case.headers or {}), HEADER: chance.choice(VALUES)}


def fault_of(case):
    return (case.headers or {}).get(HEADER)


def values_of(case):
    """Names of the faults for which a value of the request stands."""
    values = {} if WALK is None else WALK["faultValues"]
    return [name for name, value in values.items() if names_any(case, [value])]


def names_any(case, values):
    sent = json.dumps(case.body, default=str)
    return any(json.dumps(value) in sent for value in values)


def may_be_unavailable(case):
    return WALK is not None and names_any(case, WALK["unavailable"])


def may_be_refused(case):
    return WALK is not None and names_any(case, WALK["refused"])


@schemathesis.check
def fails_only_when_asked_to(ctx, response, case):
    """A request gets 5xx only if it injects a fault, and an injected fault has its status, unless the request is refused."""
    status = response.status_code
    fault = fault_of(case)
    asked = ANSWERS.get(fault)
    if status >= 500 and status != asked and not (status == 503 and may_be_unavailable(case)):
        raise AssertionError(f"{status} for a request with {fault or 'no'} injected fault: {response.text}")
    if asked is not None and status < 400:
        raise AssertionError(f"{status} for a request with the injected fault {fault}")
    if status == 429 and "retry-after" not in response.headers:
        raise AssertionError("The 429 response has no retry-after header")


@schemathesis.check
def lost_reply_is_given_again(ctx, response, case):
    """A repeated request with the same key gets the lost response and has no second effect."""
    if not is_lost_with_key(response, case):
        return
    again = copy.copy(response.request)
    again.headers = {name: value for name, value in again.headers.items() if name.lower() != HEADER}
    with requests.Session() as session:
        repeated = session.send(again, timeout=30)
    if repeated.status_code >= 500 and not may_be_unavailable(case):
        raise AssertionError(f"{repeated.status_code} for a repeated request: {repeated.text}")
    if repeated.ok and repeated.headers.get("idempotent-replayed") != "true":
        raise AssertionError(f"{repeated.status_code} without idempotent-replayed for the repetition of a request with a lost reply")


def is_lost_with_key(response, case):
    has_key = any(name.lower() == "idempotency-key" for name in case.headers or {})
    return response.status_code == 504 and fault_of(case) == "lost-reply" and has_key

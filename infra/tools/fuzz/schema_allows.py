"""What the document allows the service takes, but for a short list of refusals, each with its reason."""

import json
import pathlib
import re

import schemathesis

import simulated_faults

EXPECTED = json.loads((pathlib.Path(__file__).parent / "refused-although-allowed.json").read_text())
REFUSALS = {400, 413, 415, 422}


def is_expected(detail):
    return any(
        re.fullmatch(entry["field"], detail["field"]) and re.fullmatch(entry["issue"], detail["issue"])
        for entry in EXPECTED
    )


@schemathesis.check
def takes_what_the_schema_allows(ctx, response, case):
    meta = case.meta
    if meta is None or not meta.generation.mode.is_positive or response.status_code not in REFUSALS:
        return
    if simulated_faults.may_be_refused(case):
        return
    details = response.json().get("details", [])
    unexpected = [detail for detail in details if not is_expected(detail)]
    if unexpected or not details:
        raise AssertionError(f"{response.status_code} to a request that the schema allows: {unexpected or response.text}")

"""The service accepts requests that the document allows, except a short list, and refuses all others."""

import copy
import json
import pathlib
import re

import jsonschema_rs
import schemathesis
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import negative_data_rejection

import simulated_faults

EXPECTED = json.loads((pathlib.Path(__file__).parent / "refused-although-allowed.json").read_text())
REFUSALS = {400, 413, 415, 422}
document = {}


def keep(raw_schema):
    """The document before a walk narrows it to likely values."""
    document.update(copy.deepcopy(raw_schema))


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
        raise AssertionError(f"{response.status_code} for a request that the schema allows: {unexpected or response.text}")


@schemathesis.check
def refuses_what_the_schema_forbids(ctx, response, case):
    """Schemathesis judges a body by the narrowed schema, in which a value that a link brings can be missing."""
    if not is_negative_by_body_alone(case) or not is_body_allowed(case):
        negative_data_rejection(ctx, response, case)


def is_negative_by_body_alone(case):
    if case.meta is None:
        return False
    negative = {location for location, one in case.meta.components.items() if one.mode.is_negative}
    return negative == {ParameterLocation.BODY}


def is_body_allowed(case):
    content = document["paths"][case.operation.path][case.method.lower()]["requestBody"]["content"]
    if case.media_type not in content:
        return False
    schema = {**content[case.media_type]["schema"], "components": document["components"]}
    try:
        return jsonschema_rs.validator_for(schema, validate_formats=True).is_valid(case.body)
    except ValueError:
        # Bytes are no JSON.
        return False

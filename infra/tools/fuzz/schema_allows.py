"""What the document allows the service takes, but for a short list of refusals, each with its reason."""

import json
import pathlib
import re

import schemathesis

FOLDER = pathlib.Path(__file__).parent
EXPECTED = json.loads((FOLDER / "refused-although-allowed.json").read_text())
REFUSALS = {400, 413, 415, 422}


def is_expected(detail):
    return any(
        re.fullmatch(entry["field"], detail["field"]) and re.fullmatch(entry["issue"], detail["issue"])
        for entry in EXPECTED
    )


@schemathesis.hook
def before_load_schema(ctx, raw_schema):
    """A link's fields of a body stand beside `requestBody`, in which generators of clients want a text."""
    for methods in raw_schema["paths"].values():
        for operation in methods.values():
            for answer in operation["responses"].values():
                for link in answer.get("links", {}).values():
                    if "x-request-body" in link:
                        link["requestBody"] = link.pop("x-request-body")


@schemathesis.check
def takes_what_the_schema_allows(ctx, response, case):
    meta = case.meta
    if meta is None or not meta.generation.mode.is_positive or response.status_code not in REFUSALS:
        return
    details = response.json().get("details", [])
    unexpected = [detail for detail in details if not is_expected(detail)]
    if unexpected or not details:
        raise AssertionError(f"{response.status_code} to a request that the schema allows: {unexpected or response.text}")

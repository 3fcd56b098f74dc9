"""What Schemathesis loads: the document as it reads it, the requests as they are sent, and the project's own checks."""

import pathlib
import sys

import schemathesis

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import bank  # noqa: E402, F401
import counts  # noqa: E402, F401
import likely_values  # noqa: E402
import links  # noqa: E402
import schema_allows  # noqa: E402
import simulated_faults  # noqa: E402
from walk import WALK  # noqa: E402


@schemathesis.hook
def before_load_schema(ctx, raw_schema):
    links.unfold_bodies(raw_schema)
    schema_allows.keep(raw_schema)
    if WALK is not None:
        likely_values.narrow(raw_schema, WALK["likely"])


@schemathesis.hook
def before_call(ctx, case, kwargs):
    if WALK is not None:
        simulated_faults.name_fault(case)


if WALK is not None:
    links.follow()

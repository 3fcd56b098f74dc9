"""What main.ts tells a walk along the links: its seed, values that are likely to be taken, the file of its counts."""

import json
import os

# None in the phases that send single requests.
WALK = json.loads(os.environ.get("FUZZ_WALK", "null"))


def operation_of(case):
    return case.operation.definition.raw["operationId"]

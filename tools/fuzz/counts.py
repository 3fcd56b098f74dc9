"""Counts what a walk sends and gets, for the tables that main.ts prints."""

import atexit
import json
import pathlib

import schemathesis
import simulated_faults

from walk import WALK, operation_of

CREATIONS = {"POST", "PUT"}
operations = {}
faults = {}


@schemathesis.check
def is_counted(ctx, response, case):
    """One answer: of which operation, with which faults, and whether it reads what the walk has made."""
    row = operations.setdefault(operation_of(case), {"cases": 0, "statuses": {}, "reads": 0, "missed": 0})
    row["cases"] += 1
    add(row["statuses"], str(response.status_code))
    fault = simulated_faults.fault_of(case)
    named = [fault] if fault in simulated_faults.VALUES else []
    for one in [*named, *simulated_faults.values_of(case)]:
        add(faults, one)
    if simulated_faults.is_lost_with_key(response, case):
        add(faults, "lost reply, repeated with its key")
    if fault is None and reads_what_was_made(ctx, case):
        row["reads"] += 1
        row["missed"] += response.status_code == 404


def add(counts, name):
    counts[name] = counts.get(name, 0) + 1


def reads_what_was_made(ctx, case):
    """A GET whose every path parameter came by link from a creation that succeeded."""
    if case.method.upper() != "GET" or not case.path_parameters or not case.meta.generation.mode.is_positive:
        return False
    recorder = ctx.internals.recorder
    node = recorder and recorder.cases.get(case.id)
    if node is None or node.transition is None:
        return False
    linked = node.transition.parameters.get("path_parameters", {})
    is_followed = all(
        name in linked and hasattr(linked[name].value, "ok") and linked[name].value.ok() == value
        for name, value in case.path_parameters.items()
    )
    parent = recorder.find_parent(case_id=case.id)
    return is_followed and parent is not None and parent.method.upper() in CREATIONS


@atexit.register
def keep():
    if WALK is not None and operations:
        pathlib.Path(WALK["counts"]).write_text(json.dumps({"operations": operations, "faults": faults}))

"""How a walk follows the links of the document."""

from schemathesis.core.transforms import UNRESOLVABLE
from schemathesis.specs.openapi import stateful

from walk import WALK

bundle_of = stateful.OpenAPIStateMachine._get_target_for_result
# Operations whose bodies need what links give them.
led_with_body = set()


def unfold_bodies(raw_schema):
    """A link's fields of a body stand beside `requestBody`, in which generators of clients want a text."""
    for methods in raw_schema["paths"].values():
        for operation in methods.values():
            for answer in operation["responses"].values():
                for link in answer.get("links", {}).values():
                    if "x-request-body" in link:
                        link["requestBody"] = link.pop("x-request-body")
                        led_with_body.add(link["operationId"])


def follow():
    """Schemathesis sends a random id where a link has none, which finds nothing; the other phases send such ids."""
    stateful.is_likely_root_transition = begins_a_walk
    stateful.OpenAPIStateMachine._get_target_for_result = bundle_of_what_leads_on


def begins_a_walk(operation, node, produced_anywhere):
    """What needs no id but a likely one."""
    likely = WALK["likely"]["fields"]
    needs_id = operation.definition.raw["operationId"] in led_with_body
    return not needs_id and all(one.name in likely for one in operation.path_parameters)


def bundle_of_what_leads_on(machine, output):
    """An answer without an id, such as an empty list, is kept for no link."""
    outgoing = machine._transitions.operations[output.case.operation.label].outgoing
    return bundle_of(machine, output) if any(has_values(link.extract(output)) for link in outgoing) else None


def has_values(transition):
    parameters = [one for container in transition.parameters.values() for one in container.values()]
    extracted = [*parameters, *([transition.request_body] if transition.request_body else [])]
    values = [one.value.ok() if hasattr(one.value, "ok") else None for one in extracted]
    return not any(value in (None, UNRESOLVABLE) for value in values)

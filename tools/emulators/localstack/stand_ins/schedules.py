"""
Runs the schedules of EventBridge Scheduler ("Schedule types in EventBridge Scheduler"), which LocalStack only stores.

Targets are Lambda functions, invoked asynchronously. A failed call goes to the schedule's dead-letter queue without retries.
"""

import json
import logging
import re
import threading
import time
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

from localstack.aws.connect import connect_to
from moto.scheduler.models import Schedule, scheduler_backends

LOG = logging.getLogger("stand_ins.schedules")

SECONDS = {"minute": 60, "hour": 3600, "day": 86_400}
FIELD = re.compile(r"(?P<first>\*|\d+)(?:-(?P<last>\d+))?(?:/(?P<step>\d+))?")
LOOK_SECONDS = 0.5


def install() -> None:
    threading.Thread(target=_run_for_ever, daemon=True, name="stand-in-schedules").start()


def _run_for_ever() -> None:
    before = time.time()
    unreadable: set[str] = set()
    while True:
        time.sleep(LOOK_SECONDS)
        now = time.time()
        for schedule in _schedules():
            try:
                if schedule.state == "ENABLED" and is_due(schedule, before, now):
                    _run(schedule)
            except ValueError as error:
                if schedule.arn not in unreadable:
                    LOG.error("Cannot run the schedule %s: %s", schedule.arn, error)
                unreadable.add(schedule.arn)
        before = now


def _schedules() -> list[Schedule]:
    backends = [backend for regions in list(scheduler_backends.values()) for backend in list(regions.values())]
    groups = [group for backend in backends for group in list(backend.schedule_groups.values())]
    return [schedule for group in groups for schedule in list(group.schedules.values())]


def is_due(schedule: Schedule, before: float, now: float) -> bool:
    """
    Whether a run lies after `before` and not after `now`, seconds since 1970.

    ValueError for an expression that is neither `rate(...)` nor a `cron(...)` of numbers.
    """
    kind, _, argument = schedule.schedule_expression.removesuffix(")").partition("(")
    if kind == "rate":
        interval = _interval(argument)
        # A rate counts from the creation of its schedule.
        start = schedule.creation_date
        return now >= start and (now - start) // interval > max(0, (before - start) // interval)
    if kind != "cron":
        raise ValueError(schedule.schedule_expression)
    zone = ZoneInfo(schedule.schedule_expression_timezone)
    minutes = range(int(before // 60) + 1, int(now // 60) + 1)
    return any(_matches(argument, datetime.fromtimestamp(minute * 60, timezone.utc).astimezone(zone)) for minute in minutes)


def _interval(argument: str) -> int:
    found = re.fullmatch(r"(\d+) (minute|hour|day)s?", argument)
    if found is None or int(found[1]) == 0:
        raise ValueError(f"rate({argument})")
    return int(found[1]) * SECONDS[found[2]]


def _matches(fields: str, local: datetime) -> bool:
    """`minute hour day-of-month month day-of-week year`; days of the week count from 1 = Sunday."""
    values = (local.minute, local.hour, local.day, local.month, local.isoweekday() % 7 + 1, local.year)
    given = fields.split()
    if len(given) != len(values):
        raise ValueError(f"cron({fields})")
    return all(_contains(field, value) for field, value in zip(given, values, strict=True))


def _contains(field: str, value: int) -> bool:
    return field == "?" or any(_part_contains(part, value) for part in field.split(","))


def _part_contains(part: str, value: int) -> bool:
    found = FIELD.fullmatch(part)
    if found is None:
        raise ValueError(f"the field {part}")
    first = 0 if found["first"] == "*" else int(found["first"])
    is_open = found["first"] == "*" or found["step"] is not None
    last = int(found["last"]) if found["last"] else (9999 if is_open else first)
    return first <= value <= last and (value - first) % int(found["step"] or 1) == 0


def _run(schedule: Schedule) -> None:
    target = schedule.target
    payload = target.get("Input") or "{}"
    _, _, _, region, account, *_ = target["Arn"].split(":")
    clients = connect_to(region_name=region, aws_access_key_id=account)
    try:
        clients.lambda_.invoke(FunctionName=target["Arn"], InvocationType="Event", Payload=payload)
        LOG.debug("%s ran", schedule.name)
    except Exception as error:
        LOG.warning("Cannot call the target of the schedule %s: %s", schedule.name, error)
        if failures := target.get("DeadLetterConfig", {}).get("Arn"):
            url = clients.sqs.get_queue_url(QueueName=failures.split(":")[-1])["QueueUrl"]
            clients.sqs.send_message(QueueUrl=url, MessageBody=json.dumps({"schedule": schedule.arn, "input": payload}))

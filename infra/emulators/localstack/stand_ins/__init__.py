"""
Plugin of LocalStack 4.14, the last free edition: brings what that edition lacks for the Banking Order Service.

LocalStack finds it by the entry points in `stand_ins-1.0.dist-info` when this folder's parent is on PYTHONPATH. Everything
it does is a stand-in, written by the same people as the service: that something works here proves nothing about AWS.
So it says at the start what it stands in for (`stand-ins.json`), and logs what it does under `stand_ins.<name>`.
"""

import json
from pathlib import Path

from localstack.runtime import hooks

MESSAGE = "stand-in {name}: {what} (this project's plugin, no proof of what AWS does)"


@hooks.on_infra_start()
def install() -> None:
    """Runs before LocalStack loads its services and opens its port."""
    from . import authorizers, database, forms, gateway_responses, loopback, queue_concurrency, schedules

    # Not stand-ins: they say where LocalStack listens and which database it uses.
    loopback.install()
    database.install()
    for module in (authorizers, gateway_responses, schedules, queue_concurrency, forms):
        module.install()
    # `functions` and `authorizer-resource` are found by their entry points.
    for name, what in json.loads(Path(__file__).with_name("stand-ins.json").read_text()).items():
        print(MESSAGE.format(name=name, what=what), flush=True)

"""
Plugin of LocalStack 4.14, the last free edition, with the parts that this edition lacks for the Banking Order Service.

LocalStack finds it by the entry points in `stand_ins-1.0.dist-info` when this folder's parent is on PYTHONPATH. A stand-in
proves nothing about AWS: the plugin prints each at the start (`stand-ins.json`), and logs under `stand_ins.<name>`.
"""

import functools
import json
from pathlib import Path

from localstack.runtime import hooks

MESSAGE = "stand-in {name}: {what} (this project's plugin, no proof of what AWS does)"


@hooks.on_infra_start()
def install() -> None:
    """Runs before LocalStack loads its services and opens its port."""
    from . import authorizers, forms, gateway_responses, queue_concurrency, schedules

    listen_on_loopback()
    use_running_database()
    for module in (authorizers, gateway_responses, schedules, queue_concurrency, forms):
        module.install()
    # `functions` and `authorizer-resource` are found by their entry points.
    for name, described in json.loads(Path(__file__).with_name("stand-ins.json").read_text()).items():
        print(MESSAGE.format(name=name, what=described["what"]), flush=True)


def listen_on_loopback() -> None:
    """LocalStack's server ignores the host of GATEWAY_LISTEN and listens on every IPv4 address: here on loopback alone."""
    from twisted.internet import endpoints

    endpoints.TCP4ServerEndpoint = functools.partial(endpoints.TCP4ServerEndpoint, interface="127.0.0.1")


def use_running_database() -> None:
    """DynamoDB Local runs at DYNAMODB_LOCAL_PORT; LocalStack would download its own and start it on every address."""
    from localstack.services.dynamodb.server import DynamodbServer

    def connect(self: DynamodbServer) -> bool:
        self._started.set()
        self.wait_for_dynamodb()
        return True

    DynamodbServer.start_dynamodb = connect
    DynamodbServer.stop_dynamodb = lambda _self: None

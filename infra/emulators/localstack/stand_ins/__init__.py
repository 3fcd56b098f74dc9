"""
Plugin of LocalStack 4.14, the last free edition: brings what that edition lacks for the Banking Order Service.

LocalStack finds it by the entry points in `stand_ins-1.0.dist-info` when this folder's parent is on PYTHONPATH. Everything
it does is a stand-in, written by the same people as the service: that something works here proves nothing about AWS.
So it says at the start what it stands in for (`stand-ins.json`), and logs what it does under `stand_ins.<name>`.
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
    """LocalStack's server ignores the host of GATEWAY_LISTEN and takes every IPv4 address: this makes it take loopback alone."""
    from twisted.internet import endpoints

    endpoints.TCP4ServerEndpoint = functools.partial(endpoints.TCP4ServerEndpoint, interface="127.0.0.1")


def use_running_database() -> None:
    """
    DynamoDB Local runs already, on loopback, at DYNAMODB_LOCAL_PORT; LocalStack would download one and start it on every address.
    """
    from localstack.services.dynamodb.server import DynamodbServer

    def connect(self: DynamodbServer) -> bool:
        self._started.set()
        self.wait_for_dynamodb()
        return True

    DynamodbServer.start_dynamodb = connect
    DynamodbServer.stop_dynamodb = lambda _self: None

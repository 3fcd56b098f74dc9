"""LocalStack's server ignores the host of GATEWAY_LISTEN and takes every IPv4 address: this makes it take loopback alone."""

import functools

from twisted.internet import endpoints


def install() -> None:
    endpoints.TCP4ServerEndpoint = functools.partial(endpoints.TCP4ServerEndpoint, interface="127.0.0.1")

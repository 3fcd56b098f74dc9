"""
DynamoDB Local runs already, on loopback, at DYNAMODB_LOCAL_PORT; LocalStack would download one and start it on every address.
"""

from localstack.services.dynamodb.server import DynamodbServer


def connect(self: DynamodbServer) -> bool:
    self._started.set()
    self.wait_for_dynamodb()
    return True


def install() -> None:
    DynamodbServer.start_dynamodb = connect
    DynamodbServer.stop_dynamodb = lambda _self: None

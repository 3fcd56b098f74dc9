"""
Bodies and headers of gateway responses ("Set up gateway responses to customize error responses"). LocalStack chooses the
response of the template and gives its status, but a body and headers of its own.
"""

import json
import re

from localstack.services.apigateway.next_gen.execute_api.context import RestApiInvocationContext
from localstack.services.apigateway.next_gen.execute_api.gateway_response import (
    BaseGatewayException,
    get_gateway_response_or_default,
)
from localstack.services.apigateway.next_gen.execute_api.handlers.gateway_exception import GatewayExceptionHandler
from rolo import Response

VARIABLE = re.compile(r"\$context\.([A-Za-z]+(?:\.[A-Za-z0-9_-]+)*)|\$\{context\.([^}]+)\}")
DEFAULT_TEMPLATE = '{"message":$context.error.messageString}'


def install() -> None:
    GatewayExceptionHandler.create_exception_response = create_exception_response


def create_exception_response(_self, exception: BaseGatewayException, context: RestApiInvocationContext) -> Response:
    settings = get_gateway_response_or_default(exception.type, context.deployment.rest_api.gateway_responses)
    status = settings.get("statusCode") or exception.status_code or 500
    template = (settings.get("responseTemplates") or {}).get("application/json", DEFAULT_TEMPLATE)
    headers = {"Content-Type": "application/json", "x-amzn-ErrorType": exception.code}
    for name, expression in (settings.get("responseParameters") or {}).items():
        value = _header_value(expression, context, exception)
        if value is not None:
            headers[name.removeprefix("gatewayresponse.header.")] = value
    body = VARIABLE.sub(lambda found: _variable(found[1] or found[2], context, exception) or "", template)
    return Response(response=body, headers=headers, status=status)


def _header_value(expression: str, context: RestApiInvocationContext, exception: BaseGatewayException) -> str | None:
    """A literal in quotes, a variable of the context, or a header of the request, which may be absent."""
    if expression.startswith("'"):
        return expression[1:-1]
    if expression.startswith("context."):
        return _variable(expression.removeprefix("context."), context, exception) or ""
    if context.invocation_request is None:
        return None
    return context.invocation_request["headers"].get(expression.removeprefix("method.request.header."))


def _variable(path: str, context: RestApiInvocationContext, exception: BaseGatewayException) -> str | None:
    if path == "error.messageString":
        return json.dumps(exception.message)
    value = context.context_variables
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return None if value is None else str(value)

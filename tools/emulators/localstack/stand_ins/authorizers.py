"""
TOKEN authorizers of REST APIs ("Use API Gateway Lambda authorizers"): validation expression, call, policy and cache.
Other kinds (REQUEST, Cognito) give a configuration error.
"""

import json
import logging
import re
import time
from dataclasses import dataclass

from localstack.aws.connect import connect_to
from localstack.services.apigateway.next_gen.execute_api import handlers
from localstack.services.apigateway.next_gen.execute_api.context import RestApiInvocationContext
from localstack.services.apigateway.next_gen.execute_api.gateway_response import (
    AccessDeniedError,
    AuthorizerConfigurationError,
    AuthorizerFailureError,
    UnauthorizedError,
)

LOG = logging.getLogger("stand_ins.authorizers")

SOURCE = "method.request.header."
FUNCTION_OF_URI = re.compile(r"/functions/(arn:[^/]+)/invocations$")


@dataclass(frozen=True)
class Kept:
    until: float
    answer: dict


_kept: dict[tuple[str, str, str, str], Kept] = {}


def install() -> None:
    # After the choice of the method, before its integration.
    handlers.preprocess_request.handlers.append(authorize)


def authorize(_chain, context: RestApiInvocationContext, _response) -> None:
    """Adds `$context.authorizer`, which the response to a denial may show; raises a gateway exception for a denial."""
    method = context.resource_method
    if method.get("authorizationType") in (None, "NONE"):
        return
    settings = context.deployment.rest_api.authorizers.get(method.get("authorizerId"))
    if settings is None or settings["type"] != "TOKEN" or not settings["identitySource"].startswith(SOURCE):
        LOG.error("%s has an authorizer of an unknown type", context.api_id)
        raise AuthorizerConfigurationError()
    token = context.invocation_request["headers"].get(settings["identitySource"].removeprefix(SOURCE))
    expression = settings.get("identityValidationExpression")
    if not token or (expression and not re.search(expression, token)):
        raise UnauthorizedError("Unauthorized")
    answer = _answer(context, settings, token)
    # The function gets numbers and booleans as texts.
    values = {name: _text(value) for name, value in (answer.get("context") or {}).items() if value is not None}
    context.context_variables["authorizer"] = {**values, "principalId": answer["principalId"]}
    check_policy(answer["policyDocument"], _method_arn(context))


def _answer(context: RestApiInvocationContext, settings: dict, token: str) -> dict:
    key = (context.api_id, context.stage, settings["id"], token)
    kept = _kept.get(key)
    if kept is not None and kept.until > time.monotonic():
        return kept.answer
    answer = _ask(context, settings, token)
    seconds = int(settings.get("authorizerResultTtlInSeconds", 300))
    if seconds > 0:
        now = time.monotonic()
        for outdated in [key for key, kept in list(_kept.items()) if kept.until <= now]:
            _kept.pop(outdated, None)
        _kept[key] = Kept(now + seconds, answer)
    return answer


def _ask(context: RestApiInvocationContext, settings: dict, token: str) -> dict:
    function = FUNCTION_OF_URI.search(settings["authorizerUri"])
    if function is None:
        raise AuthorizerConfigurationError()
    event = {"type": "TOKEN", "methodArn": _method_arn(context), "authorizationToken": token}
    client = connect_to(region_name=context.region, aws_access_key_id=context.account_id).lambda_
    try:
        invoked = client.invoke(FunctionName=function[1], Payload=json.dumps(event))
    except Exception as error:
        LOG.warning("Cannot call the authorizer: %s", error)
        raise AuthorizerFailureError() from error
    answer = json.loads(invoked["Payload"].read())
    if "FunctionError" in invoked:
        if answer.get("errorMessage") == "Unauthorized":
            raise UnauthorizedError("Unauthorized")
        raise AuthorizerConfigurationError()
    if not isinstance(answer, dict) or "principalId" not in answer or "policyDocument" not in answer:
        raise AuthorizerConfigurationError()
    return answer


def check_policy(policy: dict, method_arn: str) -> None:
    """Raises unless a statement allows the method and none denies it; a cached policy is checked for each method."""
    effects = {statement["Effect"] for statement in _list(policy["Statement"]) if _applies(statement, method_arn)}
    if "Deny" in effects:
        raise AccessDeniedError("User is not authorized to access this resource with an explicit deny")
    if "Allow" not in effects:
        raise AccessDeniedError("User is not authorized to access this resource")


def _applies(statement: dict, method_arn: str) -> bool:
    actions = any(_matches(action.lower(), "execute-api:invoke") for action in _list(statement["Action"]))
    return actions and any(_matches(resource, method_arn) for resource in _list(statement["Resource"]))


def _matches(pattern: str, text: str) -> bool:
    """`*` stands for any characters and `?` for one, as in IAM."""
    expression = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return re.fullmatch(expression, text, re.DOTALL) is not None


def _method_arn(context: RestApiInvocationContext) -> str:
    request = context.invocation_request
    api = f"arn:aws:execute-api:{context.region}:{context.account_id}:{context.api_id}"
    return f"{api}/{context.stage}/{request['http_method']}{request['path']}"


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _list(value: object) -> list:
    return value if isinstance(value, list) else [value]

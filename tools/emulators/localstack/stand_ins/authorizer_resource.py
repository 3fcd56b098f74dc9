"""The CloudFormation resource AWS::ApiGateway::Authorizer, by the calls of API Gateway that LocalStack has."""

from localstack.services.cloudformation.resource_provider import (
    CloudFormationResourceProviderPlugin,
    OperationStatus,
    ProgressEvent,
    ResourceProvider,
    ResourceRequest,
)

TYPE = "AWS::ApiGateway::Authorizer"
PROPERTIES = (
    *("RestApiId", "Name", "Type", "AuthorizerUri", "AuthorizerCredentials"),
    *("IdentitySource", "IdentityValidationExpression", "AuthorizerResultTtlInSeconds"),
)


class AuthorizerResource(ResourceProvider):
    """Creates and deletes; the base class raises at an update: the stacks here are deployed once."""

    TYPE = TYPE
    SCHEMA = {
        "typeName": TYPE,
        "properties": {name: {} for name in (*PROPERTIES, "AuthorizerId")},
        "readOnlyProperties": ["/properties/AuthorizerId"],
        "primaryIdentifier": ["/properties/RestApiId", "/properties/AuthorizerId"],
    }

    def create(self, request: ResourceRequest) -> ProgressEvent:
        model = request.desired_state
        # `RestApiId` is `restApiId` in the API.
        given = {name[0].lower() + name[1:]: model[name] for name in PROPERTIES if model.get(name) is not None}
        # CloudFormation writes numbers as texts.
        if (seconds := given.get("authorizerResultTtlInSeconds")) is not None:
            given["authorizerResultTtlInSeconds"] = int(seconds)
        model["AuthorizerId"] = request.aws_client_factory.apigateway.create_authorizer(**given)["id"]
        return _done(request)

    def delete(self, request: ResourceRequest) -> ProgressEvent:
        model = request.desired_state
        request.aws_client_factory.apigateway.delete_authorizer(
            restApiId=model["RestApiId"], authorizerId=model["AuthorizerId"]
        )
        return _done(request)


class AuthorizerResourcePlugin(CloudFormationResourceProviderPlugin):
    name = TYPE

    def load(self) -> None:
        self.factory = AuthorizerResource


def _done(request: ResourceRequest) -> ProgressEvent:
    return ProgressEvent(
        status=OperationStatus.SUCCESS, resource_model=request.desired_state, custom_context=request.custom_context
    )

"""
LocalStack's HTTP server parses and rewrites multipart/form-data bodies, and rejects one without a boundary. API Gateway passes
bodies through.
"""

from localstack.services.apigateway.next_gen.execute_api.handlers import parse
from twisted.web import http


def install() -> None:
    http._getMultiPartArgs = lambda _content, _content_type: {}
    restore = parse.restore_payload
    parse.restore_payload = lambda request: (
        request.get_data(parse_form_data=False) if request.mimetype == "multipart/form-data" else restore(request)
    )

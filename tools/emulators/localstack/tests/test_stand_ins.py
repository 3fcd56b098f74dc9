"""
Tests of the plugin that need LocalStack's code but no LocalStack that runs: `npm run tool -- tools/emulators/acceptance.ts localstack` runs them first.
"""

import json
import os
import tempfile
import threading
import time
import unittest
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace

from localstack.services.apigateway.next_gen.execute_api.gateway_response import (
    AccessDeniedError,
    ThrottledError,
    UnauthorizedError,
)
from localstack.services.lambda_.invocation.executor_endpoint import StatusErrorException
from stand_ins import authorizers, gateway_responses, queue_concurrency, schedules
from stand_ins.functions import FunctionProcess

ARN = "arn:aws:execute-api:sa-east-1:000000000000:api/local/GET/order/v1/accounts"


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=timezone.utc).timestamp()


class Schedules(unittest.TestCase):
    def is_due(self, expression: str, instant: str, zone: str = "UTC", seconds: float = 1) -> bool:
        schedule = SimpleNamespace(
            schedule_expression=expression,
            schedule_expression_timezone=zone,
            creation_date=at("2026-01-15T12:00:30"),
        )
        return schedules.is_due(schedule, at(instant) - seconds, at(instant))

    def test_a_rate_counts_from_the_creation_of_its_schedule(self):
        self.assertFalse(self.is_due("rate(1 minute)", "2026-01-15T12:00:31"))
        self.assertTrue(self.is_due("rate(1 minute)", "2026-01-15T12:01:30"))
        self.assertFalse(self.is_due("rate(1 minute)", "2026-01-15T12:01:31.5"))
        self.assertTrue(self.is_due("rate(2 hours)", "2026-01-15T14:00:30"))
        self.assertFalse(self.is_due("rate(2 hours)", "2026-01-15T13:00:30"))

    def test_a_cron_runs_at_its_minute_of_its_time_zone_once(self):
        expression = "cron(* 0-20 * * ? *)"
        self.assertTrue(self.is_due(expression, "2026-01-15T23:59:00", "America/Sao_Paulo"))
        self.assertFalse(self.is_due(expression, "2026-01-15T23:59:01.5", "America/Sao_Paulo"))
        self.assertFalse(self.is_due(expression, "2026-01-16T00:00:00", "America/Sao_Paulo"))
        self.assertTrue(self.is_due(expression, "2026-01-16T03:00:00", "America/Sao_Paulo"))

    def test_fields_have_lists_and_steps_and_sunday_is_the_first_day(self):
        self.assertTrue(self.is_due("cron(0/15 12 * * ? *)", "2026-01-15T12:45:00"))
        self.assertFalse(self.is_due("cron(0/15 12 * * ? *)", "2026-01-15T12:46:00"))
        self.assertTrue(self.is_due("cron(5,7 12 ? * 1 2026)", "2026-01-18T12:07:00"))
        self.assertFalse(self.is_due("cron(5,7 12 ? * 1 2026)", "2026-01-17T12:07:00"))
        self.assertFalse(self.is_due("cron(7 12 ? * 1 2027)", "2026-01-18T12:07:00"))

    def test_a_minute_that_was_missed_is_made_up_for(self):
        self.assertTrue(self.is_due("cron(0 12 * * ? *)", "2026-01-15T12:02:10", seconds=200))

    def test_what_it_cannot_read_is_an_error(self):
        for expression in ("at(2026-01-15T12:00:00)", "rate(0 minutes)", "cron(0 12 * * ?)", "cron(0 12 ? * MON *)"):
            with self.assertRaises(ValueError, msg=expression):
                self.is_due(expression, "2026-01-15T12:00:00")


class Policies(unittest.TestCase):
    def statement(self, effect: str, resource: object = ARN) -> dict:
        return {"Effect": effect, "Action": "execute-api:Invoke", "Resource": resource}

    def test_an_allowed_method_passes(self):
        for resource in (ARN, "arn:aws:execute-api:*:*:api/local/*", [ARN + "/other", ARN], ARN.replace("GET", "G?T")):
            authorizers.check_policy({"Statement": self.statement("Allow", resource)}, ARN)

    def test_every_other_is_denied(self):
        for statements in (
            [],
            [self.statement("Allow", ARN + "/other")],
            [self.statement("Allow", ARN.replace("/", "."))],
            [self.statement("Allow"), self.statement("Deny", "*")],
            [{**self.statement("Allow"), "Action": "lambda:InvokeFunction"}],
        ):
            with self.assertRaises(AccessDeniedError, msg=statements):
                authorizers.check_policy({"Statement": statements}, ARN)


class Authorizers(unittest.TestCase):
    def setUp(self):
        self.asked: list[str] = []
        self.restored, authorizers._ask = authorizers._ask, self.ask
        authorizers._kept.clear()

    def tearDown(self):
        authorizers._ask = self.restored

    def ask(self, _context, _settings, token: str) -> dict:
        self.asked.append(token)
        effect = "Deny" if "denied" in token else "Allow"
        statement = {"Effect": effect, "Action": "execute-api:Invoke", "Resource": "*"}
        return {"principalId": "me", "policyDocument": {"Statement": [statement]}, "context": {"n": 1, "no": None}}

    def request(self, token: str | None, seconds: int = 60) -> dict:
        settings = {
            "id": "a",
            "type": "TOKEN",
            "identitySource": "method.request.header.Authorization",
            "identityValidationExpression": "^Bearer .+$",
            "authorizerResultTtlInSeconds": seconds,
        }
        self.variables: dict = {}
        context = SimpleNamespace(
            **{"region": "r", "account_id": "1", "api_id": "api", "stage": "local"},
            context_variables=self.variables,
            resource_method={"authorizationType": "CUSTOM", "authorizerId": "a"},
            deployment=SimpleNamespace(rest_api=SimpleNamespace(authorizers={"a": settings})),
            invocation_request={"headers": {"Authorization": token}, "http_method": "GET", "path": "/x"},
        )
        authorizers.authorize(None, context, None)
        return self.variables["authorizer"]

    def test_its_context_comes_as_texts_and_its_answer_is_kept_for_the_token(self):
        self.assertEqual(self.request("Bearer one"), {"principalId": "me", "n": "1"})
        self.request("Bearer one")
        self.request("Bearer two")
        self.assertEqual(self.asked, ["Bearer one", "Bearer two"])

    def test_a_denial_has_a_context_for_its_gateway_response_and_is_kept_for_its_token_alone(self):
        for _ in range(2):
            with self.assertRaises(AccessDeniedError):
                self.request("Bearer denied")
            self.assertEqual(self.variables["authorizer"], {"principalId": "me", "n": "1"})
        self.request("Bearer one")
        self.assertEqual(self.asked, ["Bearer denied", "Bearer one"])

    def test_without_a_time_to_live_nothing_is_kept(self):
        self.request("Bearer one", seconds=0)
        self.request("Bearer one", seconds=0)
        self.assertEqual(len(self.asked), 2)

    def test_a_token_of_another_form_is_refused_without_asking(self):
        for token in (None, "", "Basic abc"):
            with self.assertRaises(UnauthorizedError):
                self.request(token)
        self.assertEqual(self.asked, [])


class GatewayResponses(unittest.TestCase):
    def test_body_and_headers_are_those_of_the_template(self):
        settings = {
            "statusCode": "429",
            "responseTemplates": {
                "application/json": '{"m":$context.error.messageString,"id":"${context.requestId}",'
                '"of":"$context.authorizer.message","no":"$context.authorizer.no"}'
            },
            "responseParameters": {
                "gatewayresponse.header.retry-after": "'1'",
                "gatewayresponse.header.x-request-id": "context.requestId",
                "gatewayresponse.header.x-caller": "method.request.header.x-caller",
                "gatewayresponse.header.x-absent": "method.request.header.x-absent",
            },
        }
        context = SimpleNamespace(
            deployment=SimpleNamespace(rest_api=SimpleNamespace(gateway_responses={"THROTTLED": settings})),
            context_variables={"requestId": "r-1", "authorizer": {"message": "it ended"}},
            invocation_request={"headers": {"x-caller": "me"}},
        )
        response = gateway_responses.create_exception_response(None, ThrottledError('say "no"'), context)
        self.assertEqual(response.status_code, 429)
        body = {"m": 'say "no"', "id": "r-1", "of": "it ended", "no": ""}
        self.assertEqual(json.loads(response.get_data()), body)
        self.assertEqual([response.headers.get(name) for name in ("retry-after", "x-request-id", "x-caller", "x-absent")],
                         ["1", "r-1", "me", None])


class QueueConcurrency(unittest.TestCase):
    def test_as_many_batches_are_handled_at_once_as_allowed_and_no_more(self):
        gate, lock, most, now = threading.Event(), threading.Lock(), [0], [0]

        def handle(_messages):
            with lock:
                now[0] += 1
                most[0] = max(most[0], now[0])
            gate.wait(5)
            with lock:
                now[0] -= 1
            raise ValueError("a batch that fails gives its room back")

        poller = SimpleNamespace(handle_messages=handle, close=lambda: None, source_arn="queue")
        queue_concurrency.handle_concurrently(poller, 3)
        received: list[int] = []

        def receive():
            for batch in range(7):
                received.append(batch)
                poller.handle_messages([batch])

        thread = threading.Thread(target=receive)
        thread.start()
        time.sleep(0.3)
        # Nothing is received that has no room.
        self.assertEqual(received, [0, 1, 2])
        with self.assertLogs("stand_ins.queue_concurrency", "WARNING"):
            gate.set()
            thread.join(5)
            while now[0] > 0:
                time.sleep(0.05)
            time.sleep(0.1)
        poller.close()
        self.assertEqual((len(received), most[0]), (7, 3))


class Functions(unittest.TestCase):
    def start(self, source: str) -> FunctionProcess:
        folder = self.enterContext(tempfile.TemporaryDirectory())
        Path(folder, "index.mjs").write_text(source)
        environment = {"PATH": os.environ["PATH"], "LAMBDA_TASK_ROOT": folder, "_HANDLER": "index.handler"}
        process = FunctionProcess(environment)
        self.addCleanup(process.kill)
        return process

    def call(self, process: FunctionProcess, event: object, seconds: int = 5) -> dict:
        deadline = int((time.time() + seconds) * 1000)
        invocation = {"id": "i-1", "arn": "arn", "deadline": deadline, "trace": "t", "event": json.dumps(event)}
        return process.call(invocation, seconds)

    def test_it_answers_one_invocation_after_another_and_its_logs_are_there_with_the_answer(self):
        process = self.start("export const handler = async (e, c) => { console.log('seen', e); return [e, c.awsRequestId]; };")
        for event in (1, "ção", None):
            self.assertEqual(self.call(process, event), {"result": [event, "i-1"]})
            self.assertEqual("".join(process.logs), f"seen {'null' if event is None else event}\n")

    def test_an_error_is_an_answer_and_the_process_goes_on(self):
        process = self.start("export const handler = async (e) => { if (e) throw new TypeError('no'); };")
        error = self.call(process, True)["error"]
        self.assertEqual((error["errorType"], error["errorMessage"]), ("TypeError", "no"))
        self.assertEqual(self.call(process, False), {"result": None})

    def test_a_timeout_ends_the_process(self):
        process = self.start("export const handler = () => new Promise((done) => setTimeout(done, 60000));")
        self.assertIn("timed out after 1.00 seconds", self.call(process, 1, seconds=1)["error"]["errorMessage"])
        self.assertFalse(process.is_running)

    def test_an_end_of_the_process_is_an_error_of_the_invocation(self):
        process = self.start("export const handler = () => process.exit(7);")
        self.assertIn("exit status 7", self.call(process, 1)["error"]["errorMessage"])

    def test_a_module_that_fails_is_an_error_of_the_start(self):
        with self.assertRaises(StatusErrorException) as raised:
            self.start("throw new Error('bad module');")
        self.assertIn(b"bad module", raised.exception.payload)

    def test_it_ends_with_the_process_that_started_it(self):
        process = self.start("export const handler = () => new Promise((done) => setTimeout(done, 60000));")
        process._process.stdin.close()
        self.assertEqual(process._process.wait(5), 0)


if __name__ == "__main__":
    unittest.main()

"""
Lambda functions as processes of this machine's Node; LocalStack would start containers.

An execution environment is one process of `function-runtime.ts`. It runs one invocation after another; after a timeout it is
killed and started again. Memory and architecture have no stand-in.
"""

import json
import os
import queue
import subprocess
import threading
import time
from pathlib import Path

from localstack import config
from localstack.services.lambda_.invocation.executor_endpoint import StatusErrorException
from localstack.services.lambda_.invocation.lambda_models import FunctionVersion, InvocationResult
from localstack.services.lambda_.invocation.plugins import RuntimeExecutorPlugin
from localstack.services.lambda_.invocation.runtime_executor import RuntimeExecutor

RUNTIME = Path(__file__).parents[1] / "function-runtime.ts"
LOOPBACK = "127.0.0.1"
START_SECONDS = 90
# LocalStack answers many times slower than AWS: a function has three times its timeout, and reads that as its deadline.
GRACE = 3
# Beside the function's own variables: the place of Node, and the mark of the run's processes.
INHERITED = ("PATH", "EMULATOR_RUN")


class ProcessExecutorPlugin(RuntimeExecutorPlugin):
    """LAMBDA_RUNTIME_EXECUTOR=process"""

    name = "process"

    def load(self, *_args, **_kwargs) -> type["ProcessExecutor"]:
        return ProcessExecutor


class FunctionProcess:
    """One Node process with one function. Its messages come in order: `ready`, then `log` and `result` or `error`."""

    def __init__(self, environment: dict[str, str]):
        reading, writing = os.pipe()
        self._messages: queue.SimpleQueue[dict] = queue.SimpleQueue()
        # LocalStack logs Node's own errors; the function's logs come as messages.
        self._process = subprocess.Popen(
            ["node", str(RUNTIME), str(writing)],
            env=environment,
            cwd=environment["LAMBDA_TASK_ROOT"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[writing],
            start_new_session=True,
        )
        os.close(writing)
        threading.Thread(target=self._read, args=(reading,), daemon=True).start()
        self.logs: list[str] = []
        started = self._next(START_SECONDS)
        if "ready" not in started:
            self.kill()
            error = started.get("error") or _exit_error(started)
            raise StatusErrorException("Environment startup failed", payload=json.dumps(error).encode())

    def _read(self, descriptor: int) -> None:
        with os.fdopen(descriptor, encoding="utf-8") as messages:
            for line in messages:
                self._messages.put(json.loads(line))
        self._messages.put({"exit": self._process.wait()})

    def _next(self, seconds: float) -> dict:
        """The next message but logs; `late` without one in time."""
        end = time.monotonic() + seconds
        while True:
            try:
                message = self._messages.get(timeout=max(0, end - time.monotonic()))
            except queue.Empty:
                return {"late": True}
            if "log" not in message:
                return message
            self.logs.append(message["log"])

    def call(self, invocation: dict, timeout_seconds: int) -> dict:
        """The function's `{"result": ...}` or `{"error": ...}`."""
        request_id = invocation["id"]
        self.logs.clear()
        try:
            self._process.stdin.write(json.dumps(invocation).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # The message that it has ended follows.
        answer = self._next(timeout_seconds)
        if "late" in answer:
            self.kill()
            message = f"RequestId: {request_id} Error: Task timed out after {timeout_seconds}.00 seconds"
            return {"error": {"errorType": "Sandbox.Timedout", "errorMessage": message}}
        return {"error": _exit_error(answer, request_id)} if "exit" in answer else answer

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        try:
            self._process.stdin.close()
        except BrokenPipeError:
            pass  # An invocation that was not taken any more.


class ProcessExecutor(RuntimeExecutor):
    """LocalStack makes one for each execution environment and never calls it twice at a time."""

    def __init__(self, id: str, function_version: FunctionVersion):
        super().__init__(id, function_version)
        self._process: FunctionProcess | None = None
        self._environment: dict[str, str] = {}

    def start(self, env_vars: dict[str, str]) -> None:
        code = self.function_version.config.code
        code.prepare_for_execution()
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        own = {name: str(value) for name, value in env_vars.items()}
        task_root = str(code.get_unzipped_code_location())
        self._environment = {**inherited, **own, "LAMBDA_TASK_ROOT": task_root, "TZ": "UTC"}
        self._process = FunctionProcess(self._environment)

    def invoke(self, payload: dict[str, str]) -> InvocationResult:
        if not self._process.is_running:
            self._process = FunctionProcess(self._environment)
        request_id = payload["invoke-id"]
        timeout = GRACE * self.function_version.config.timeout
        invocation = {
            "id": request_id,
            "arn": payload["invoked-function-arn"],
            "deadline": int((time.time() + timeout) * 1000),
            "trace": payload["trace-id"],
            "event": payload["payload"] or "{}",
        }
        answer = self._process.call(invocation, timeout)
        is_error = "error" in answer
        body = json.dumps(answer["error"] if is_error else answer["result"], ensure_ascii=False).encode()
        logs = f"START RequestId: {request_id}\n{self.get_logs()}END RequestId: {request_id}\n"
        return InvocationResult(request_id, body, is_error=is_error, logs=logs)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()

    def get_logs(self) -> str:
        return "".join(self._process.logs) if self._process is not None else ""

    def get_address(self) -> str:
        return LOOPBACK

    def get_endpoint_from_executor(self) -> str:
        return LOOPBACK

    def get_runtime_endpoint(self) -> str:
        return f"http://{LOOPBACK}:{config.GATEWAY_LISTEN[0].port}/_localstack_lambda/{self.id}"

    @classmethod
    def prepare_version(cls, function_version: FunctionVersion) -> None:
        if function_version.config.code:
            function_version.config.code.prepare_for_execution()

    @classmethod
    def cleanup_version(cls, function_version: FunctionVersion) -> None:
        """LocalStack deletes the code by itself."""


def _exit_error(message: dict, request_id: str = "") -> dict:
    reason = f"exit status {message['exit']}" if "exit" in message else f"no start within {START_SECONDS} seconds"
    prefix = f"RequestId: {request_id} " if request_id else ""
    return {"errorType": "Runtime.ExitError", "errorMessage": f"{prefix}Error: Runtime exited with error: {reason}"}

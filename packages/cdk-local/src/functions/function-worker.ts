import { openSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { appendLines, linesOf } from './function-log.ts';
import type { FunctionError, InvocationMessage, WorkerData, WorkerMessage } from './function-thread.ts';

/** The thread of one function, a small Lambda runtime: imports the bundle once, then runs invocations. */

type Handler = (event: unknown, context: unknown) => unknown;

const { id, module, exportName, log } = workerData as WorkerData;
const port = parentPort;
if (port === null) throw new Error('function-worker.ts runs as a worker thread.');
const send = (message: WorkerMessage): void => {
  port.postMessage(message);
};
writeOutputTo(log, id, (line) => {
  send({ kind: 'shown', line });
});

function functionErrorOf(error: unknown): FunctionError {
  if (!(error instanceof Error)) return { errorType: typeof error, errorMessage: String(error), trace: [] };
  return { errorType: error.name, errorMessage: error.message, trace: (error.stack ?? '').split('\n') };
}

function contextOf(invocation: InvocationMessage): unknown {
  return {
    awsRequestId: invocation.id,
    functionName: invocation.functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: invocation.functionArn,
    memoryLimitInMB: `${invocation.memoryMb}`,
    logGroupName: `/aws/lambda/${invocation.functionName}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, invocation.deadline - Date.now()),
  };
}

async function run(handler: Handler, invocation: InvocationMessage): Promise<void> {
  try {
    const response = await handler(JSON.parse(invocation.event), contextOf(invocation));
    // For undefined JSON.stringify returns undefined, although its type is string. Lambda returns null.
    const payload = (JSON.stringify(response) as string | undefined) ?? 'null';
    send({ kind: 'answer', id: invocation.id, payload });
  } catch (error) {
    send({ kind: 'error', id: invocation.id, error: functionErrorOf(error) });
  }
}

try {
  const bundle = (await import(module)) as Record<string, unknown>;
  const handler = bundle[exportName];
  if (typeof handler !== 'function') throw new Error(`${module} exports no function ${exportName}.`);
  port.on('message', (invocation: InvocationMessage) => void run(handler as Handler, invocation));
  send({ kind: 'ready' });
} catch (error) {
  send({ kind: 'unusable', error: functionErrorOf(error) });
}

/**
 * Appends the output of the function to the log that all threads share. With Node's streams a line would go through the
 * main thread, and would be lost if this thread ended before.
 *
 * @param show Takes each line that the developer should see immediately: errors, and the reason of a failed write.
 */
function writeOutputTo(log: string, source: string, show: (line: string) => void): void {
  const file = openSync(log, 'a', 0o600);
  const append = (text: string, level?: 'warn'): void => {
    try {
      appendLines(file, source, text, level);
    } catch (error) {
      show(`${log}: ${String(error)}`);
    }
  };
  process.stdout.write = writer(append);
  process.stderr.write = writer((text) => {
    append(text, 'warn');
    for (const line of linesOf(text)) show(line);
  });
}

/** Returns a `write` like that of a stream that is never full. */
function writer(take: (text: string) => void): NodeJS.WriteStream['write'] {
  return (chunk: Uint8Array | string, encoding?: BufferEncoding | (() => void), written?: () => void): boolean => {
    take(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    const done = typeof encoding === 'function' ? encoding : written;
    if (done !== undefined) process.nextTick(done);
    return true;
  };
}

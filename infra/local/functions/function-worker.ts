import { parentPort, workerData } from 'node:worker_threads';
import { writeOutputTo } from './thread-output.ts';
import type { FunctionFault, InvocationMessage, WorkerData, WorkerMessage } from './worker-protocol.ts';

/**
 * The thread of one function: imports the bundle once, then answers invocations. A small version of Lambda's Node
 * runtime.
 */

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

function faultOf(error: unknown): FunctionFault {
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
    const answer = await handler(JSON.parse(invocation.event), contextOf(invocation));
    // A handler that returns nothing answers null; JSON.stringify gives undefined for it, whatever its type says.
    const payload = (JSON.stringify(answer) as string | undefined) ?? 'null';
    send({ kind: 'answer', id: invocation.id, payload });
  } catch (error) {
    send({ kind: 'fault', id: invocation.id, fault: faultOf(error) });
  }
}

try {
  const bundle = (await import(module)) as Record<string, unknown>;
  const handler = bundle[exportName];
  if (typeof handler !== 'function') throw new Error(`${module} exports no function ${exportName}.`);
  port.on('message', (invocation: InvocationMessage) => void run(handler as Handler, invocation));
  send({ kind: 'ready' });
} catch (error) {
  send({ kind: 'unusable', fault: faultOf(error) });
}

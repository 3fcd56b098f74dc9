// Runs one Lambda function for functions.py. Invocations are lines of JSON on standard input; logs and responses are
// lines of JSON on the descriptor in the first argument. It ends with its standard input.
import { existsSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

type Invocation = {
  readonly id: string;
  readonly arn: string;
  /** Milliseconds since 1970. */
  readonly deadline: number;
  readonly trace: string;
  /** JSON. */
  readonly event: string;
};

type Message =
  | { readonly ready: true }
  | { readonly log: string }
  | { readonly result: unknown }
  | {
      readonly error: { readonly errorType: string; readonly errorMessage: string; readonly trace: readonly string[] };
    };

type Handler = (event: unknown, context: ReturnType<typeof contextOf>) => unknown;

const descriptor = Number(process.argv[2]);

function send(message: Message): void {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}

/** Sends logs by the descriptor of the responses, so that the logs of an invocation come before its response. */
function sendLogs(stream: NodeJS.WriteStream): void {
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    send({ log: typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString() });
    const done = rest.at(-1);
    if (typeof done === 'function') (done as () => void)();
    return true;
  };
}

/** An error in the form of Lambda's Node runtime. */
function describe(error: unknown): Message {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { error: { errorType: name, errorMessage: message, trace: (stack ?? '').split('\n') } };
}

async function loadHandler(): Promise<Handler> {
  const root = process.env['LAMBDA_TASK_ROOT'] ?? '';
  const [file = '', name = ''] = (process.env['_HANDLER'] ?? '').split('.');
  const path = ['mjs', 'js', 'cjs']
    .map((ending) => `${root}/${file}.${ending}`)
    .find((candidate) => existsSync(candidate));
  if (path === undefined) throw new Error(`There is no module ${file}.`);
  const { [name]: handler } = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  if (typeof handler !== 'function') throw new Error(`${file}.${name} is not a function.`);
  return handler as Handler;
}

/** Context of an invocation ("Using the Lambda context object"). */
function contextOf({ id, arn, deadline }: Invocation) {
  const { env } = process;
  return {
    awsRequestId: id,
    invokedFunctionArn: arn,
    callbackWaitsForEmptyEventLoop: true,
    functionName: env['AWS_LAMBDA_FUNCTION_NAME'],
    functionVersion: env['AWS_LAMBDA_FUNCTION_VERSION'],
    memoryLimitInMB: env['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'],
    logGroupName: env['AWS_LAMBDA_LOG_GROUP_NAME'],
    logStreamName: env['AWS_LAMBDA_LOG_STREAM_NAME'],
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}

async function serve(): Promise<void> {
  process.stdin.on('end', () => process.exit(0));
  const handler = await loadHandler();
  send({ ready: true });
  for await (const line of createInterface({ input: process.stdin })) {
    const invocation = JSON.parse(line) as Invocation;
    process.env['_X_AMZN_TRACE_ID'] = invocation.trace;
    try {
      send({ result: (await handler(JSON.parse(invocation.event), contextOf(invocation))) ?? null });
    } catch (error) {
      send(describe(error));
    }
  }
}

sendLogs(process.stdout);
sendLogs(process.stderr);
serve().catch((error: unknown) => {
  send(describe(error));
  process.exit(1);
});

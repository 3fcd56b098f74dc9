import { Worker } from 'node:worker_threads';
import type { FunctionDefinition } from './function-definitions.ts';
import type { FunctionLog } from './function-log.ts';

/** Data that the main thread passes to the thread of a function when it starts. */
export type WorkerData = {
  /** Logical id of the function. */
  readonly id: string;
  readonly module: string;
  readonly exportName: string;
  /** File to which the function's output is appended. */
  readonly log: string;
};

/** Events and results are sent as JSON strings, as on Lambda. */
export type InvocationMessage = {
  readonly id: string;
  readonly event: string;
  /** Epoch milliseconds at which the invocation times out. */
  readonly deadline: number;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMb: number;
};

export type FunctionError = {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace: readonly string[];
};

export type WorkerMessage =
  | { readonly kind: 'ready' }
  /** A line of output that the developer should see immediately; it is in the log already. */
  | { readonly kind: 'shown'; readonly line: string }
  | { readonly kind: 'unusable'; readonly error: FunctionError }
  | { readonly kind: 'answer'; readonly id: string; readonly payload: string }
  | { readonly kind: 'error'; readonly id: string; readonly error: FunctionError };

/** Outcome of an invocation. `reason` tells an error of the function's code from a timeout or a lost thread. */
export type InvokeOutcome =
  | { readonly ok: true; readonly payload: unknown }
  /** `too-large`: the event exceeds Lambda's 6 MB and the function was not called. */
  | ({ readonly ok: false; readonly reason: 'error' | 'timeout' | 'crash' | 'too-large' } & FunctionError);

/** Lambda gives the initialisation of a function ten seconds; a busy laptop needs more. */
const initTimeoutMs = 30_000;
/**
 * Maximum memory for new objects, which Node collects first. Without this limit it grows by tens of megabytes for each
 * function, mostly garbage.
 */
const maxYoungGenerationSizeMb = 24;
/** Minimum time over which the load of a thread is measured. */
const judgedMs = 20;
const busyShare = 0.95;
/** Largest event and result of a synchronous invocation (Lambda quotas). */
export const payloadLimitBytes = 6 * 1024 * 1024;

export type FunctionThread = {
  /** False once an invocation timed out or the thread ended: later invocations need another thread. */
  readonly usable: () => boolean;
  /** @param event JSON. */
  readonly invoke: (id: string, event: string) => Promise<InvokeOutcome>;
  /** Whether the thread computed nearly all the time since the last call of this function. */
  readonly isBusy: () => boolean;
  readonly stop: () => Promise<void>;
  /** Settles when the thread is gone. */
  readonly exited: Promise<void>;
};

/**
 * Starts a thread of one function. Its concurrent invocations share the thread.
 *
 * After an invocation timed out, the thread takes no new invocations. It ends after the other invocations in flight,
 * because on Lambda each of them runs in an environment of its own. A crash fails all invocations in flight.
 */
export function startFunctionThread(definition: FunctionDefinition, log: FunctionLog): FunctionThread {
  const { id, name: functionName, arn: functionArn, memoryMb, timeoutMs } = definition;
  const inFlight = new Map<string, { readonly end: (outcome: InvokeOutcome) => void; timer?: NodeJS.Timeout }>();
  const worker = createWorker(definition, log);
  const ready = Promise.withResolvers<undefined>();
  const exited = Promise.withResolvers<undefined>();
  let usable = true;

  const settle = (invocation: string, outcome: InvokeOutcome): void => {
    const pending = inFlight.get(invocation);
    clearTimeout(pending?.timer);
    inFlight.delete(invocation);
    pending?.end(outcome);
    if (!usable && inFlight.size === 0) void worker.terminate();
  };
  const fail = (error: FunctionError): void => {
    usable = false;
    ready.resolve(undefined);
    for (const invocation of [...inFlight.keys()]) settle(invocation, { ok: false, reason: 'crash', ...error });
    void worker.terminate();
  };
  const initTimer = setTimeout(() => {
    fail(errorNamed('Sandbox.Timedout', 'Initialisation timed out'));
  }, initTimeoutMs);
  void ready.promise.then(() => {
    clearTimeout(initTimer);
  });

  worker.on('message', (message: WorkerMessage) => {
    if (message.kind === 'ready') ready.resolve(undefined);
    else if (message.kind === 'shown') log.show(id, message.line);
    else if (message.kind === 'unusable') fail(message.error);
    else if (message.kind === 'answer') settle(message.id, outcomeOf(message.payload));
    else settle(message.id, { ok: false, reason: 'error', ...message.error });
  });
  worker.on('error', (error: unknown) => {
    const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error));
    fail({ errorType: name, errorMessage: message, trace: stack.split('\n') });
  });
  worker.on('exit', (code) => {
    exited.resolve(undefined);
    fail(errorNamed('Runtime.ExitError', `Runtime exited with status ${code}`));
  });

  const post = async (invocation: string, event: string): Promise<void> => {
    await ready.promise;
    const pending = inFlight.get(invocation);
    if (pending === undefined) return;
    pending.timer = setTimeout(() => {
      usable = false;
      const message = `Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`;
      settle(invocation, { ok: false, reason: 'timeout', ...errorNamed('Sandbox.Timedout', message) });
    }, timeoutMs);
    const deadline = Date.now() + timeoutMs;
    const message: InvocationMessage = { id: invocation, event, deadline, functionName, functionArn, memoryMb };
    worker.postMessage(message);
  };
  return {
    usable: () => usable,
    invoke: (invocation, event) => {
      const outcome = new Promise<InvokeOutcome>((end) => inFlight.set(invocation, { end }));
      void post(invocation, event);
      return outcome;
    },
    isBusy: judgeLoad(worker),
    stop: async () => {
      fail(errorNamed('Runtime.Stopped', 'The local environment was stopped'));
      await worker.terminate();
    },
    exited: exited.promise,
  };
}

function createWorker({ id, environment, module, exportName }: FunctionDefinition, log: FunctionLog): Worker {
  return new Worker(new URL('./function-worker.ts', import.meta.url), {
    name: id,
    env: { ...environment },
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb },
    workerData: { id, module, exportName, log: log.file } satisfies WorkerData,
  });
}

/** Returns a function that tells whether a thread is busy, by the share of time in which its event loop is active. */
function judgeLoad(worker: Worker): () => boolean {
  let seen = worker.performance.eventLoopUtilization();
  let busy = false;
  return () => {
    const now = worker.performance.eventLoopUtilization();
    const active = now.active - seen.active;
    const total = active + now.idle - seen.idle;
    if (total < judgedMs) return busy;
    seen = now;
    busy = active / total > busyShare;
    return busy;
  };
}

export function errorNamed(errorType: string, errorMessage: string): FunctionError {
  return { errorType, errorMessage, trace: [] };
}

function outcomeOf(payload: string): InvokeOutcome {
  if (Buffer.byteLength(payload) <= payloadLimitBytes) return { ok: true, payload: JSON.parse(payload) };
  const message = `Response payload size exceeded maximum allowed payload size (${payloadLimitBytes} bytes).`;
  return { ok: false, reason: 'error', ...errorNamed('Function.ResponseSizeTooLarge', message) };
}

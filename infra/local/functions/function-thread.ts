import { Worker } from 'node:worker_threads';
import type { FunctionDefinition } from './function-definitions.ts';
import type { FunctionLog } from './function-log.ts';
import type { FunctionFault, InvocationMessage, WorkerData, WorkerMessage } from './worker-protocol.ts';

/** Lambda gives the initialisation of a function ten seconds of its own. */
const INIT_TIMEOUT_MS = 10_000;
/** Largest event and answer of a synchronous invocation (Lambda quotas). */
export const PAYLOAD_LIMIT_BYTES = 6 * 1024 * 1024;

/** How an invocation ended; `reason` tells a fault of the code from a lost thread. */
export type Outcome =
  | { readonly ok: true; readonly payload: string }
  | { readonly ok: false; readonly reason: 'fault' | 'timeout' | 'crash'; readonly fault: FunctionFault };

export interface FunctionThread {
  /** False once an invocation timed out or the thread ended: later invocations need another thread. */
  readonly usable: () => boolean;
  readonly invoke: (id: string, event: string) => Promise<Outcome>;
  readonly stop: () => Promise<void>;
  /** Settles when the thread is gone. */
  readonly ended: Promise<void>;
}

interface InFlight {
  readonly settle: (outcome: Outcome) => void;
  timer?: NodeJS.Timeout;
}

/**
 * One thread of one function, shared by concurrent invocations.
 *
 * A timed-out invocation is answered at once and the thread takes no new one; it is ended when the other invocations in flight have
 * had their time too, because on Lambda they would run in environments of their own. A crash fails all that are in flight.
 */
export function startFunctionThread(definition: FunctionDefinition, log: FunctionLog): FunctionThread {
  const inFlight = new Map<string, InFlight>();
  let usable = true;
  const worker = new Worker(new URL('./function-worker.ts', import.meta.url), {
    name: definition.id,
    env: { ...definition.environment },
    execArgv: [],
    workerData: { module: definition.module, exportName: definition.exportName } satisfies WorkerData,
    stdout: true,
    stderr: true,
  });
  log.capture(definition.id, worker.stdout, worker.stderr);
  const ready = Promise.withResolvers<undefined>();
  const initTimer = setTimeout(() => {
    lose({ errorType: 'Sandbox.Timedout', errorMessage: 'Initialisation timed out', trace: [] });
  }, INIT_TIMEOUT_MS);

  const settle = (id: string, outcome: Outcome): void => {
    const one = inFlight.get(id);
    if (one === undefined) return;
    clearTimeout(one.timer);
    inFlight.delete(id);
    one.settle(outcome);
    if (!usable && inFlight.size === 0) void worker.terminate();
  };
  const lose = (fault: FunctionFault): void => {
    usable = false;
    clearTimeout(initTimer);
    ready.resolve(undefined);
    for (const id of [...inFlight.keys()]) settle(id, { ok: false, reason: 'crash', fault });
    void worker.terminate();
  };

  worker.on('message', (message: WorkerMessage) => {
    switch (message.kind) {
      case 'ready':
        clearTimeout(initTimer);
        ready.resolve(undefined);
        return;
      case 'unusable':
        lose(message.fault);
        return;
      case 'answer':
        settle(message.id, sized(message.payload));
        return;
      case 'fault':
        settle(message.id, { ok: false, reason: 'fault', fault: message.fault });
    }
  });
  worker.on('error', (error: unknown) => {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    lose({ errorType: name, errorMessage: message, trace: (stack ?? '').split('\n') });
  });
  const ended = Promise.withResolvers<undefined>();
  worker.on('exit', (code) => {
    ended.resolve(undefined);
    lose({ errorType: 'Runtime.ExitError', errorMessage: `Runtime exited with status ${code}`, trace: [] });
  });

  const expire = (id: string): void => {
    usable = false;
    const errorMessage = `Task timed out after ${(definition.timeoutMs / 1000).toFixed(2)} seconds`;
    settle(id, { ok: false, reason: 'timeout', fault: { errorType: 'Sandbox.Timedout', errorMessage, trace: [] } });
  };
  const post = async (id: string, event: string): Promise<void> => {
    await ready.promise;
    const one = inFlight.get(id);
    if (one === undefined) return;
    const deadline = Date.now() + definition.timeoutMs;
    one.timer = setTimeout(expire, definition.timeoutMs, id);
    const { name: functionName, arn: functionArn, memoryMb } = definition;
    worker.postMessage({ id, event, deadline, functionName, functionArn, memoryMb } satisfies InvocationMessage);
  };

  return {
    usable: () => usable,
    invoke: (id, event) =>
      new Promise((settleWith) => {
        inFlight.set(id, { settle: settleWith });
        void post(id, event);
      }),
    stop: async () => {
      lose({ errorType: 'Runtime.Stopped', errorMessage: 'The local environment was stopped', trace: [] });
      await worker.terminate();
    },
    ended: ended.promise,
  };
}

function sized(payload: string): Outcome {
  if (Buffer.byteLength(payload) <= PAYLOAD_LIMIT_BYTES) return { ok: true, payload };
  const errorMessage = `Response payload size exceeded maximum allowed payload size (${PAYLOAD_LIMIT_BYTES} bytes).`;
  return { ok: false, reason: 'fault', fault: { errorType: 'Function.ResponseSizeTooLarge', errorMessage, trace: [] } };
}

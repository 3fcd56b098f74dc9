import { Worker } from 'node:worker_threads';
import type { FunctionDefinition } from './function-definitions.ts';
import type { FunctionLog } from './function-log.ts';

/**
 * The messages between the main thread and the thread of a function. Events and answers travel as JSON texts, as on
 * Lambda.
 */

export type WorkerData = {
  /** Logical id of the function. */
  readonly id: string;
  readonly module: string;
  readonly exportName: string;
  /** File to which the function's output is appended. */
  readonly log: string;
};

export type InvocationMessage = {
  readonly id: string;
  readonly event: string;
  /** Epoch milliseconds at which the invocation times out. */
  readonly deadline: number;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMb: number;
};

export type FunctionFault = {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace: readonly string[];
};

export type WorkerMessage =
  | { readonly kind: 'ready' }
  /** A line of output that a person should see at once; it stands in the log already. */
  | { readonly kind: 'shown'; readonly line: string }
  | { readonly kind: 'unusable'; readonly fault: FunctionFault }
  | { readonly kind: 'answer'; readonly id: string; readonly payload: string }
  | { readonly kind: 'fault'; readonly id: string; readonly fault: FunctionFault };

/** Lambda gives the initialisation of a function ten seconds; a busy laptop needs more. */
const initTimeoutMs = 30_000;
/**
 * What is new in a thread's memory, before the first look at what of it is still in use. Node would let it grow to tens
 * of megabytes for each function, which the next look frees: most of what a busy function holds.
 */
const maxYoungGenerationSizeMb = 24;
/** Of a shorter time nothing is said about a thread's load. */
const judgedMs = 20;
const busyShare = 0.95;
/** Largest event and answer of a synchronous invocation (Lambda quotas). */
export const payloadLimitBytes = 6 * 1024 * 1024;

/** How an invocation ended; `reason` separates a fault of the code from a lost thread. */
type Outcome =
  | { readonly ok: true; readonly payload: string }
  | { readonly ok: false; readonly reason: 'fault' | 'timeout' | 'crash'; readonly fault: FunctionFault };

export type FunctionThread = {
  /** False once an invocation timed out or the thread ended: later invocations need another thread. */
  readonly usable: () => boolean;
  readonly invoke: (id: string, event: string) => Promise<Outcome>;
  /** Whether it computed nearly all the time since it was last asked. */
  readonly isBusy: () => boolean;
  readonly stop: () => Promise<void>;
  /** Settles when the thread is gone. */
  readonly ended: Promise<void>;
};

/** Invocations without an answer yet. */
type InFlight = {
  readonly add: (id: string) => Promise<Outcome>;
  readonly has: (id: string) => boolean;
  readonly size: () => number;
  /** Starts the clock of an invocation. */
  readonly limit: (id: string, milliseconds: number, expired: () => void) => void;
  readonly settle: (id: string, outcome: Outcome) => void;
  readonly settleAll: (outcome: Outcome) => void;
};

/**
 * One thread of one function, shared by concurrent invocations.
 *
 * A timed-out invocation is answered at once and the thread takes no new one; it is ended when the other invocations in
 * flight have had their time too, because on Lambda they would run in environments of their own. A crash fails all that
 * are in flight.
 */
export function startFunctionThread(definition: FunctionDefinition, log: FunctionLog): FunctionThread {
  const inFlight = createInFlight();
  const worker = createWorker(definition, log);
  const ready = Promise.withResolvers<undefined>();
  const ended = Promise.withResolvers<undefined>();
  let usable = true;

  const fail = (fault: FunctionFault): void => {
    usable = false;
    clearTimeout(initTimer);
    ready.resolve(undefined);
    inFlight.settleAll({ ok: false, reason: 'crash', fault });
    void worker.terminate();
  };
  const settle = (id: string, outcome: Outcome): void => {
    inFlight.settle(id, outcome);
    if (!usable && inFlight.size() === 0) void worker.terminate();
  };
  const initTimer = setTimeout(() => {
    fail({ errorType: 'Sandbox.Timedout', errorMessage: 'Initialisation timed out', trace: [] });
  }, initTimeoutMs);

  worker.on('message', (message: WorkerMessage) => {
    switch (message.kind) {
      case 'ready':
        clearTimeout(initTimer);
        ready.resolve(undefined);
        return;
      case 'shown':
        log.show(definition.id, message.line);
        return;
      case 'unusable':
        fail(message.fault);
        return;
      case 'answer':
        settle(message.id, limitSize(message.payload));
        return;
      case 'fault':
        settle(message.id, { ok: false, reason: 'fault', fault: message.fault });
    }
  });
  worker.on('error', (error: unknown) => {
    fail(faultOf(error));
  });
  worker.on('exit', (code) => {
    ended.resolve(undefined);
    fail({ errorType: 'Runtime.ExitError', errorMessage: `Runtime exited with status ${code}`, trace: [] });
  });

  const post = async (id: string, event: string): Promise<void> => {
    await ready.promise;
    if (!inFlight.has(id)) return;
    inFlight.limit(id, definition.timeoutMs, () => {
      usable = false;
      settle(id, timeOutAnswer(definition));
    });
    worker.postMessage(invocationOf(definition, id, event));
  };
  return {
    usable: () => usable,
    invoke: (id, event) => {
      const outcome = inFlight.add(id);
      void post(id, event);
      return outcome;
    },
    isBusy: judgeLoad(worker),
    stop: async () => {
      fail({ errorType: 'Runtime.Stopped', errorMessage: 'The local environment was stopped', trace: [] });
      await worker.terminate();
    },
    ended: ended.promise,
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

function faultOf(error: unknown): FunctionFault {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { errorType: name, errorMessage: message, trace: (stack ?? '').split('\n') };
}

/** Judges by the share of the time in which the thread did not wait for anything. */
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

function createInFlight(): InFlight {
  const waiting = new Map<string, { readonly answer: (outcome: Outcome) => void; timer?: NodeJS.Timeout }>();
  const settle = (id: string, outcome: Outcome): void => {
    const one = waiting.get(id);
    if (one === undefined) return;
    clearTimeout(one.timer);
    waiting.delete(id);
    one.answer(outcome);
  };
  return {
    add: (id) => new Promise((answer) => waiting.set(id, { answer })),
    has: (id) => waiting.has(id),
    size: () => waiting.size,
    limit: (id, milliseconds, expired) => {
      const one = waiting.get(id);
      if (one !== undefined) one.timer = setTimeout(expired, milliseconds);
    },
    settle,
    settleAll: (outcome) => {
      for (const id of [...waiting.keys()]) settle(id, outcome);
    },
  };
}

function invocationOf(definition: FunctionDefinition, id: string, event: string): InvocationMessage {
  const { name: functionName, arn: functionArn, memoryMb, timeoutMs } = definition;
  return { id, event, deadline: Date.now() + timeoutMs, functionName, functionArn, memoryMb };
}

function timeOutAnswer({ timeoutMs }: FunctionDefinition): Outcome {
  const errorMessage = `Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`;
  return { ok: false, reason: 'timeout', fault: { errorType: 'Sandbox.Timedout', errorMessage, trace: [] } };
}

function limitSize(payload: string): Outcome {
  if (Buffer.byteLength(payload) <= payloadLimitBytes) return { ok: true, payload };
  const errorMessage = `Response payload size exceeded maximum allowed payload size (${payloadLimitBytes} bytes).`;
  return { ok: false, reason: 'fault', fault: { errorType: 'Function.ResponseSizeTooLarge', errorMessage, trace: [] } };
}

import { randomUUID } from 'node:crypto';
import { LocalStartError } from '../template/local-template.ts';
import type { FunctionDefinition } from './function-definitions.ts';
import type { FunctionLog } from './function-log.ts';
import type { FunctionThread, InvokeOutcome } from './function-thread.ts';
import { errorNamed, payloadLimitBytes, startFunctionThread } from './function-thread.ts';

export type FunctionRuntime = {
  /**
   * Returns the function with this name or logical id (with or without the hash at its end).
   *
   * @throws LocalStartError if no function or several functions match.
   */
  readonly find: (nameOrId: string) => FunctionDefinition;
  /** Invokes a function. An error of the function is an outcome and is not thrown. */
  readonly invoke: (definition: FunctionDefinition, event: unknown) => Promise<InvokeOutcome>;
  /** Whether the function's thread has hardly any capacity left. Its invocations share the thread, unlike on AWS. */
  readonly isBusy: (definition: FunctionDefinition) => boolean;
  /** Calls the listener after every invocation: its writes may be in a stream or a queue by now. */
  readonly afterInvocation: (listener: () => void) => void;
  readonly stop: () => Promise<void>;
};

/** Runs functions in threads, started at the first invocation and kept warm. */
export function createFunctionRuntime(definitions: readonly FunctionDefinition[], log: FunctionLog): FunctionRuntime {
  const threads = new Map<string, FunctionThread>();
  const running = new Set<FunctionThread>();
  const listeners: (() => void)[] = [];
  let stopped = false;

  const threadOf = (definition: FunctionDefinition): FunctionThread => {
    const current = threads.get(definition.name);
    if (current?.usable() === true) return current;
    const thread = startFunctionThread(definition, log);
    threads.set(definition.name, thread);
    running.add(thread);
    void thread.exited.then(() => running.delete(thread));
    return thread;
  };

  const invoke = async (definition: FunctionDefinition, event: unknown): Promise<InvokeOutcome> => {
    if (stopped)
      return { ok: false, reason: 'crash', ...errorNamed('Runtime.Stopped', 'The local environment was stopped') };
    const text = JSON.stringify(event);
    if (Buffer.byteLength(text) > payloadLimitBytes) {
      const message = `The event exceeds ${payloadLimitBytes} bytes`;
      return { ok: false, reason: 'too-large', ...errorNamed('RequestEntityTooLargeException', message) };
    }
    const requestId = randomUUID();
    const outcome = await threadOf(definition).invoke(requestId, text);
    for (const listener of listeners) listener();
    if (outcome.ok) return outcome;
    const { errorType, errorMessage, trace } = outcome;
    const lines = [`${errorType}: ${errorMessage} (${requestId})`, ...trace].join('\n');
    // An authorizer refuses a caller (401) with this error: it is no failure.
    if (errorMessage === 'Unauthorized') log.note(definition.id, lines);
    else log.failure(definition.id, lines);
    return outcome;
  };

  return {
    find: (nameOrId) => find(definitions, nameOrId),
    invoke,
    isBusy: ({ name }) => threads.get(name)?.isBusy() ?? false,
    afterInvocation: (listener) => {
      listeners.push(listener);
    },
    stop: async () => {
      stopped = true;
      await Promise.all([...running].map((thread) => thread.stop()));
    },
  };
}

function find(definitions: readonly FunctionDefinition[], nameOrId: string): FunctionDefinition {
  const exact = definitions.filter(({ id, name }) => id === nameOrId || name === nameOrId);
  // CDK appends eight hexadecimal digits to a logical id. Callers may leave them out.
  const found = exact.length > 0 ? exact : definitions.filter(({ id }) => id.replace(/[0-9A-F]{8}$/, '') === nameOrId);
  const [only] = found;
  if (only === undefined) throw new LocalStartError(`The template has no function ${nameOrId}.`);
  if (found.length > 1)
    throw new LocalStartError(`${nameOrId} is the name of ${found.length} functions of the template.`);
  return only;
}

import { randomUUID } from 'node:crypto';
import { LocalStartError } from '../template/local-template.ts';
import type { FunctionDefinition } from './function-definitions.ts';
import type { FunctionLog } from './function-log.ts';
import type { FunctionThread } from './function-thread.ts';
import { payloadLimitBytes, startFunctionThread } from './function-thread.ts';

/** How an invocation ended: the runtime never throws for what a function does. */
export type InvokeOutcome =
  | { readonly ok: true; readonly requestId: string; readonly payload: unknown }
  | {
      readonly ok: false;
      readonly requestId: string;
      /** `too-large`: the event exceeds Lambda's 6 MB and the function was not called. */
      readonly reason: 'fault' | 'timeout' | 'crash' | 'too-large';
      readonly errorType: string;
      readonly errorMessage: string;
    };

export type FunctionRuntime = {
  /**
   * The function with this name or logical id (with or without the hash at its end).
   *
   * @throws LocalStartError for none, or several.
   */
  readonly find: (nameOrId: string) => FunctionDefinition;
  readonly invoke: (definition: FunctionDefinition, event: unknown) => Promise<InvokeOutcome>;
  /**
   * Whether its thread can hardly take more: all invocations of a function share it, which on Lambda would each have a
   * machine of their own.
   */
  readonly isBusy: (definition: FunctionDefinition) => boolean;
  /** Calls back after every invocation: what it wrote may be in a stream or a queue by now. */
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
    const present = threads.get(definition.name);
    if (present?.usable() === true) return present;
    const thread = startFunctionThread(definition, log);
    threads.set(definition.name, thread);
    running.add(thread);
    void thread.ended.then(() => running.delete(thread));
    return thread;
  };

  const invoke = async (definition: FunctionDefinition, event: unknown): Promise<InvokeOutcome> => {
    const requestId = randomUUID();
    const failed = (
      reason: 'fault' | 'timeout' | 'crash' | 'too-large',
      errorType: string,
      errorMessage: string,
    ): InvokeOutcome => {
      return { ok: false, requestId, reason, errorType, errorMessage };
    };
    if (stopped) return failed('crash', 'Runtime.Stopped', 'The local environment was stopped');
    const text = JSON.stringify(event);
    if (Buffer.byteLength(text) > payloadLimitBytes) {
      return failed('too-large', 'RequestEntityTooLargeException', `The event exceeds ${payloadLimitBytes} bytes`);
    }
    const outcome = await threadOf(definition).invoke(requestId, text);
    for (const listener of listeners) listener();
    if (outcome.ok) return { ok: true, requestId, payload: JSON.parse(outcome.payload) };
    const { errorType, errorMessage, trace } = outcome.fault;
    const lines = [`${errorType}: ${errorMessage} (${requestId})`, ...trace].join('\n');
    // With this error an authorizer answers 401: nothing has failed.
    if (errorMessage === 'Unauthorized') log.note(definition.id, lines);
    else log.failure(definition.id, lines);
    return failed(outcome.reason, errorType, errorMessage);
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
  // CDK ends a logical id in eight hexadecimal digits, which callers leave out.
  const found = exact.length > 0 ? exact : definitions.filter(({ id }) => id.replace(/[0-9A-F]{8}$/, '') === nameOrId);
  const [only] = found;
  if (only === undefined) throw new LocalStartError(`The template has no function ${nameOrId}.`);
  if (found.length > 1)
    throw new LocalStartError(`${nameOrId} is the name of ${found.length} functions of the template.`);
  return only;
}

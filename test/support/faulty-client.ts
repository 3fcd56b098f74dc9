import type { DynamoStoreOptions } from '#shared/platform/table/dynamo-reads.ts';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import type { Store } from '#shared/platform/table/store.ts';

type Client = DynamoStoreOptions['client'];
type Send = (command: { readonly input: unknown }) => Promise<unknown>;
/** What happens to one call: an error instead of it (after a time), an error in place of its answer, or nothing. */
export type Fate = { readonly refuse: Error; readonly afterMs?: number } | { readonly loseResponse: Error } | 'pass';

/** An error as the SDK throws it. */
export function sdkError(name: string, more: Readonly<Record<string, unknown>> = {}): Error {
  return Object.assign(new Error(name), { name }, more);
}

/** A cancelled transaction with a reason for each of its writes. */
export function cancelled(...codes: readonly string[]): Error {
  return sdkError('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) });
}

type Faulty = {
  readonly store: Store;
  /** Inputs of the calls that were made. */
  readonly calls: readonly Readonly<Record<string, unknown>>[];
  /** Waits between them, in milliseconds. */
  readonly waits: readonly number[];
};

/** A store on a client to whose calls these fates happen in turn; the last one happens to all that follow. */
export function faultyStore(fates: readonly [Fate, ...Fate[]], engine?: { client: Client; tableName: string }): Faulty {
  const calls: Readonly<Record<string, unknown>>[] = [];
  const waits: number[] = [];
  let elapsed = 0;
  const pass: Send = engine ? (command) => (engine.client as { send: Send }).send(command) : () => Promise.resolve({});
  const send: Send = async (command) => {
    const fate = fates[Math.min(calls.length, fates.length - 1)] ?? 'pass';
    calls.push(command.input as Readonly<Record<string, unknown>>);
    if (fate === 'pass') return pass(command);
    if ('refuse' in fate) {
      elapsed += fate.afterMs ?? 0;
      throw fate.refuse;
    }
    await pass(command);
    throw fate.loseResponse;
  };
  const sleep = (milliseconds: number): Promise<void> => {
    waits.push(milliseconds);
    elapsed += milliseconds;
    return Promise.resolve();
  };
  const tableName = engine?.tableName ?? 'table';
  const store = dynamoStore({ client: { send }, tableName, sleep, elapsedMs: () => elapsed });
  return { store, calls, waits };
}

import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import type { TestEngine } from '../support/engine.ts';
import { measuredCancellations } from './measured-cancellations.ts';
import { measuredClock } from './measured-clock.ts';
import { measuredListings } from './measured-listings.ts';
import { measuredKeys } from './measured-keys.ts';
import type { Measured } from './measured-operations.ts';
import { measuredOperations } from './measured-operations.ts';
import { measuredPayments } from './measured-payments.ts';
import { measuredWebhooks } from './measured-webhooks.ts';

/** What one operation consumed: calls, and DynamoDB's units. */
export type Capacity = Pick<Measured, 'name' | 'kind'> & {
  readonly reads: number;
  readonly readUnits: number;
  readonly writes: number;
  readonly writeUnits: number;
};

/**
 * Runs every operation once, in this order, on a table of their own.
 * @param perform Runs one of them; a measurement of something else wraps it.
 */
export async function measureCapacity(
  { client, tableName }: Pick<TestEngine, 'client' | 'tableName'>,
  perform: (run: () => Promise<unknown>) => Promise<unknown> = (run) => run(),
): Promise<readonly Capacity[]> {
  let calls: { operation: string; units: number }[] = [];
  const store = dynamoStore({ client, tableName, onConsumed: (one) => calls.push(one) });
  const measured = [
    ...(await measuredOperations(store)),
    ...(await measuredWebhooks(store)),
    ...(await measuredPayments(store)),
    ...measuredCancellations(store),
    ...(await measuredKeys(store)),
    ...(await measuredClock(store)),
    ...(await measuredListings(store)),
  ];
  const consumed: Capacity[] = [];
  for (const { name, kind, run } of measured) {
    calls = [];
    await perform(run);
    const [writes, reads] = [true, false].map((isWrite) =>
      calls.filter((one) => (one.operation === 'write') === isWrite),
    );
    const sum = (some: typeof calls = []): number => some.reduce((total, { units }) => total + units, 0);
    consumed.push({
      ...{ name, kind },
      ...{ reads: reads?.length ?? 0, readUnits: sum(reads), writes: writes?.length ?? 0, writeUnits: sum(writes) },
    });
  }
  return consumed;
}

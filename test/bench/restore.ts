// npm run tool -- test/bench/restore.ts [--items N]: how long a restored table takes to be compared and put in place,
// on the embedded engine. A tenth of a percent of the present table is newer, as much is broken.
import { parseArgs } from 'node:util';
import { bringDifferences } from '#infra/operator/restore/bring.ts';
import { compareTables } from '#infra/operator/restore/compare.ts';
import { connectTarget } from '#infra/operator/target.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { systemClock } from '#shared/platform/clock.ts';
import { deliveryInserts } from '#shared/platform/outbox/delivery-items.ts';
import type { Item, Store } from '#shared/platform/table/store.ts';
import { aNotification } from '../support/builders.ts';
import { startEngine, tableAt } from '../support/engine.ts';

const { values } = parseArgs({ options: { items: { type: 'string', default: '100000' } } });
const items = Number(values.items);
const companies = 20;
/** As many as a transaction takes. */
const together = 100;

/** Deliveries with their bytes: the largest part of a table of this service. */
function itemsFrom(first: number, count: number): readonly Item[] {
  return Array.from({ length: count / 2 }, (_, place) => {
    const number = first + place;
    const companyId = `00000000-0000-4000-8000-${`${number % companies}`.padStart(12, '0')}`;
    const body = JSON.stringify({ event: 'ORDER-PAYIN.PAID', id: `d-${number}`, data: 'x'.repeat(600) });
    const notification = { ...aNotification(systemClock()), id: `d-${number}`, body };
    return deliveryInserts(companyId, notification).map(({ put }) => put);
  }).flat();
}

async function fill(store: Store, written: readonly Item[]): Promise<void> {
  for (let from = 0; from < written.length; from += together)
    await store.write(
      written.slice(from, from + together).map((put) => ({ put })),
      randomIds.uuid(),
    );
}

async function timed<T>(label: string, does: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await does();
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`${label}: ${seconds.toFixed(1)} s, ${((seconds * 100_000) / items).toFixed(1)} s per 100 000 items`);
  return result;
}

const engine = await startEngine('present');
const other = await tableAt(engine.endpoint, 'restored');
process.env['AWS_ENDPOINT_URL_DYNAMODB'] = engine.endpoint;
process.env['AWS_ACCESS_KEY_ID'] = process.env['AWS_SECRET_ACCESS_KEY'] = 'test';
process.env['AWS_REGION'] = 'sa-east-1';
try {
  const { beside } = connectTarget({ table: 'present' }, process.env);
  const { current: currentTable, restored } = beside('restored');
  const all = itemsFrom(0, items);
  await timed('filled both tables', async () => {
    await fill(currentTable.store, all);
    await fill(restored.store, all);
  });
  const few = Math.max(2, Math.floor(items / 1000 / 2) * 2);
  await fill(currentTable.store, itemsFrom(items, few));
  await fill(
    currentTable.store,
    all.slice(0, few).map((item) => ({ ...item, entity: 'BROKEN' })),
  );
  const options = { unitsPerSecond: 40_000, now: systemClock() };
  const compare = () => compareTables({ current: currentTable, restored }, options);
  const { differences } = await timed('compared', compare);
  const brought = await timed('copied', () =>
    bringDifferences({ current: currentTable.store, restored: restored.store }, differences, new Set()),
  );
  const { differences: left } = await timed('compared again, as in restore:switch', compare);
  console.log(JSON.stringify({ items, differences: differences.length, ...brought, left: left.length }));
  if (brought.copied !== few || brought.unreadable !== few || left.length !== few) process.exitCode = 1;
} finally {
  await other.stop();
  await engine.stop();
}

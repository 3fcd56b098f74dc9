import { expect, test } from 'vitest';
import type { BankReader } from '#shared/bank/ports/reader.ts';
import { beginReading, readReading, windowSeconds } from '#shared/bank-events/list-readings.ts';
import { workListJob } from '#shared/bank-events/work-lists.ts';
import { instantFromEpochMs, plusSeconds, secondsBetween } from '#shared/core/brasilia-time.ts';
import type { DueWork } from '#shared/platform/jobs/due.ts';
import { jobsAtOnce, maxJobWorkers } from '#shared/platform/jobs/due-kinds.ts';
import { connect } from '../bank-events/bank-events-world.ts';
import { companyOne } from '../support/bank-world.ts';
import { paymentWorld } from '../support/payment-world.ts';
import { beginsAt } from './bank-books.ts';
import { virtualTime } from './virtual-time.ts';

const pageMs = 306;
const itemsPerPage = 100;

/** Plays a reading of a company with so many payments a second, all of them received, and long settled. */
async function play(extent: 'HOURLY' | 'DAILY', rate: number) {
  const time = virtualTime();
  const now = () => instantFromEpochMs(beginsAt + time.now());
  const world = await paymentWorld();
  const bank = await connect({ ...world, deps: { ...world.deps, now } });
  let [pages, busy, mostBusy] = [0, 0, 0];
  const listReceived: BankReader['listReceived'] = async (from, to) => {
    pages += 1;
    busy += 1;
    mostBusy = Math.max(mostBusy, busy);
    await time.sleep(pageMs);
    busy -= 1;
    return { items: [], pages: Math.max(1, Math.ceil((secondsBetween(from, to) * rate) / itemsPerPage)) };
  };
  const readerOf: typeof bank.events.readerOf = async (connection) => ({
    ...(await bank.events.readerOf(connection)),
    listReceived,
  });
  const run = { store: world.store, now, remainingMs: () => 600_000, failed: () => undefined };
  const queue: DueWork[] = [];
  let jobs = 0;
  let receives = 0;
  const receive = async (): Promise<void> => {
    const batch = queue.splice(0, jobsAtOnce);
    jobs += batch.length;
    receives += 1;
    await Promise.all(batch.map((job) => workListJob(run, { ...bank.events, now, readerOf, send }, job)));
    receives -= 1;
    wake();
  };
  const wake = (): void => {
    while (queue.length > 0 && receives < maxJobWorkers) void receive();
  };
  const send = (more: readonly DueWork[]): Promise<unknown> => {
    queue.push(...more);
    time.at(time.now() + 50, wake);
    return Promise.resolve();
  };
  const begun = { extent, startedAt: now(), seconds: windowSeconds[extent], before: undefined };
  const job = await beginReading(world.store, companyOne, begun);
  if (job === undefined) throw new Error('The reading was not begun.');
  await send([job]);
  // The schedule finds the reading each minute.
  const everyMinute = (): void => {
    void send([job]);
    time.at(time.now() + 60_000, everyMinute);
  };
  time.at(60_000, everyMinute);
  let endedAt: string | undefined;
  const look = (): void => {
    void readReading(world.store, companyOne, extent).then((reading) => (endedAt = reading?.endedAt));
    time.at(time.now() + 1000, look);
  };
  time.at(1000, look);
  await time.run(12 * 3_600_000, () => endedAt !== undefined);
  return { minutes: secondsBetween(begun.startedAt, endedAt ?? plusSeconds(now(), 1e9)) / 60, pages, jobs, mostBusy };
}

test('the hourly lists of a hundred payments a second of one company are read within minutes', async () => {
  const { minutes, pages } = await play('HOURLY', 100);
  expect(minutes).toBeLessThan(5);
  // The pages of three hours, and the first ones of the windows that were split.
  expect(pages).toBeGreaterThan(3 * 3600);
  expect(pages).toBeLessThan(1.1 * 3 * 3600);
});

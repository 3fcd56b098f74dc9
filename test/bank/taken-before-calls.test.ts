import { expect, test } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { JobKind } from '#shared/jobs/jobs.ts';
import { dueEntry } from '../support/due.ts';
import { subscriptionBody } from '../support/subscription-world.ts';
import { everyCommand } from './every-command.ts';

/*
 * A worker writes when a job is due next before it calls the bank: a bank that hangs until the run ends is called again
 * only then, not by every run.
 */

const submissions = [
  'PAYOUT_SUBMISSION',
  'REFUND_SUBMISSION',
  'CREDIT_RETURN',
  'CHARGE_COMMAND',
  'RECURRENCE_CANCELLATION',
] as const satisfies JobKind[];
const polls = [
  'PAYOUT_POLL',
  'REFUND_POLL',
  'CANCELLATION_POLL',
  'RECURRENCE_POLL',
  'CHARGE_POLL',
] as const satisfies JobKind[];

test('a job is due later while its bank is called, for every kind of job with a command', async () => {
  const world = await everyCommand({ isPolled: true });
  await world.created(subscriptionBody({ externalId: 'waits for its payer' }));
  const { read } = world.bank.recurrences;
  const due = (kind: JobKind): number =>
    world
      .items()
      .map(dueEntry)
      .filter((entry) => entry?.kind === kind && entry.dueAt <= world.clock.now).length;
  /** For each call, in order, whether its job was due later by then. */
  const calls: Partial<Record<JobKind, boolean[]>> = {};
  const run = async (kind: JobKind): Promise<void> => {
    const taken: boolean[] = [];
    calls[kind] = taken;
    const all = due(kind);
    const note = (): void => void taken.push(due(kind) < all - taken.length);
    world.at.call = note;
    world.bank.recurrences.read = (...given) => {
      note();
      return read(...given);
    };
    await world.run(kind);
  };
  world.clock.now = plusSeconds(world.clock.now, 180);
  world.at.responds = true;
  for (const kind of submissions) await run(kind);
  // 09:00 in Brasilia of the settlement date.
  world.clock.now = '2026-02-20T12:00:00.000Z';
  for (const kind of polls) await run(kind);
  for (const kind of [...submissions, ...polls]) {
    expect(calls[kind]?.length, kind).toBeGreaterThan(0);
    expect(calls[kind], kind).not.toContain(false);
  }
});

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Partner, Account, Inbox, Receiver } from '@banking-order/partner-tools';
import { partnerOf } from '../support/client.ts';
import { theEnvironment } from '../support/environment.ts';
import { startReceiver } from '@banking-order/partner-tools';

export const environment = theEnvironment();

/** The company most tests act for. Its first secret is never rotated, so that every notification can be verified. */
export const first: Partner = partnerOf(environment, environment.companies[0]);
/** The company for which nothing of the first exists. Its secret is rotated by the tests of that. */
export const second: Partner = partnerOf(environment, environment.companies[1]);

/** The company for which a test may turn the clock for a year: with a bank of its own where the environment has one. */
export const turned: Partner = partnerOf(environment, environment.turned ?? environment.companies[1]);

/** The account that is `ACTIVE` in every environment. */
export function activeAccount({ accounts }: Partner): Account {
  return accounts[0]!;
}

/** Longer than a queue hides a message that was received and not deleted: 90 seconds a notification, 180 a callback. */
const patienceMs = 200_000;

/** A receiver for the tests of one file; each call gives an address of its own. */
export function useReceiver(): (name?: string) => Inbox {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver(environment.receiverHost, patienceMs);
  });
  afterAll(() => receiver.stop());
  return (name = 'inbox') => receiver.inbox(`${name}-${randomUUID()}`);
}

/** Prepares tests at the first of them. Where it cannot be done, each of them fails by its own name. */
export function prepareOnce(prepare: () => Promise<void>): void {
  let prepared: Promise<void> | undefined;
  beforeEach(() => (prepared ??= prepare()));
}

/** Asks until the answer fits, or gives the last one back for the assertion that then fails. */
export async function eventually<T>(
  ask: () => Promise<T>,
  fits: (response: T) => boolean,
  withinMs = patienceMs,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const response = await ask();
    if (fits(response) || Date.now() > deadline) return response;
    await sleep(100);
  }
}

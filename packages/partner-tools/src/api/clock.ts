import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod';
import { SetClock } from '#functions/order-tools/set-clock/contract.ts';
import type { Partner } from './client.ts';
import { readResponse } from './responses.ts';

const everyMs = 200;
/** Calls with one idempotency key, at most. */
const callsAtMost = 10;

/**
 * Turns the company's clock forward, and waits until everything is done that became due.
 * @returns the response of the first call. @throws ToolFailure when the clock is not turned.
 */
export async function turnClock(partner: Partner, body: z.input<typeof SetClock.body>) {
  const turned = await turnOnce(partner, body);
  let { remaining } = turned;
  while (remaining > 0) {
    // Only with the simulated bank the call does the due jobs itself. With another bank a worker does them.
    await sleep(everyMs);
    ({ remaining } = await turnOnce(partner, { advanceSeconds: 0 }));
  }
  return turned;
}

/** One turn, which counts once: after a failure of the service it is sent again with its key. */
async function turnOnce(partner: Partner, body: z.input<typeof SetClock.body>) {
  const key = randomUUID();
  for (let calls = 1; ; calls += 1) {
    const response = await partner.answer(SetClock, { key, body });
    if (response.status < 500 || calls === callsAtMost) return readResponse(SetClock, response, 'OPEN').body;
    await sleep(everyMs);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal, throttled, wrong } from '../core/errors.ts';
import { connectStore } from '../platform/table/dynamo-store.ts';
import { slowCallsAtOnce, takePlace } from './held-places.ts';
import type { Store } from '../platform/table/store.ts';
import { systemClock } from '../platform/clock.ts';
import { env } from '../platform/env.ts';
import type { FailedRequest, HttpAnswer } from '../platform/http/responses.ts';
import { HttpRefusal, unknownOutcome } from '../platform/http/responses.ts';
import type * as production from '../platform/no-sandbox.ts';
import { headerValues } from '../platform/http/read-body.ts';

const header = 'x-simulate';
/** The longest wait of `slow=N`, milliseconds: what waits holds a function that nobody else can use meanwhile. */
export const maxSlowMs = 3_000;

type Answer = () => Promise<HttpAnswer>;

/** What each value does. `lost-reply` loses refusals too: a caller cannot know which answer it was that was lost. */
const faults: Readonly<Record<string, (answer: Answer, request: FailedRequest) => Promise<HttpAnswer>>> = {
  'lost-reply': async (answer, request) => {
    await answer().catch((error: unknown) => {
      if (!(error instanceof Refusal || error instanceof HttpRefusal)) throw error;
    });
    return unknownOutcome(504, request);
  },
  unavailable: (_answer, request) => Promise.resolve(unknownOutcome(503, request)),
  'too-many-requests': () =>
    Promise.reject(throttled('Too many requests, as x-simulate asks. Repeat it after a second.', 1)),
};

/** Outside production: does what the header asks for. Another value is 400, and nothing is done. */
export function faultsOn(store: () => Store): typeof production.answerCaller {
  return async (event, { companyId, ...contract }, answer) => {
    const [value, ...others] = headerValues(event, header);
    if (value === undefined) return answer();
    const request = { ...contract, hasKey: headerValues(event, 'idempotency-key').length > 0 };
    const fault = others.length === 0 && Object.hasOwn(faults, value) ? faults[value] : undefined;
    if (fault !== undefined) return fault(answer, request);
    const slowMs = Number(/^slow=([1-9]\d{0,4})$/u.exec(value)?.[1] ?? Infinity);
    if (others.length > 0 || slowMs > maxSlowMs) {
      const known = `${Object.keys(faults).join(', ')}, slow=1 to slow=${maxSlowMs}`;
      throw wrong(header, 'INVALID_VALUE', `Send one of ${known}.`);
    }
    return answerLate(store(), companyId, slowMs, answer);
  };
}

/** The work is done at once and its answer comes late, as it does for a caller who has given up waiting. */
async function answerLate(store: Store, companyId: string, slowMs: number, answer: Answer): Promise<HttpAnswer> {
  const giveBack = await takePlace({ store, now: systemClock }, companyId);
  if (giveBack === undefined) {
    const most = `At most ${slowCallsAtOnce} slow answers at once are made. Nothing was done; repeat the call later.`;
    throw throttled(most, maxSlowMs / 1000);
  }
  try {
    return await answer().finally(() => sleep(slowMs));
  } finally {
    // A place that was not given back falls free by itself.
    await giveBack().catch(() => undefined);
  }
}

let connected: Store | undefined;
export const answerCaller = faultsOn(() => (connected ??= connectStore(env('TABLE_NAME'))));

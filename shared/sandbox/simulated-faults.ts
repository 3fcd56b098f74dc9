import { setTimeout as sleep } from 'node:timers/promises';
import { RequestError, throttled, badRequest } from '../core/errors.ts';
import { connectStore } from '../platform/table/dynamo-store.ts';
import type { Store, Item } from '../platform/table/store.ts';
import { systemClock } from '../platform/clock.ts';
import { env } from '../platform/env.ts';
import type { FailedRequest, HttpResponse } from '../platform/http/responses.ts';
import { HttpError, unknownOutcome } from '../platform/http/responses.ts';
import type * as production from '../platform/no-sandbox.ts';
import { headerValues } from '../platform/http/read-body.ts';
import type { Clock } from '../core/brasilia-time.ts';
import { plusSeconds } from '../core/brasilia-time.ts';
import { keys } from '../platform/table/keys.ts';

const header = 'x-simulate';
/** The longest `slow=N`, milliseconds: a waiting function serves no other request. */
export const maxSlowMs = 3_000;

type Responder = () => Promise<HttpResponse>;

/** The values of the header. `lost-reply` also loses errors: a caller cannot know which response was lost. */
const faults: Readonly<Record<string, (respond: Responder, request: FailedRequest) => Promise<HttpResponse>>> = {
  'lost-reply': async (respond, request) => {
    await respond().catch((error: unknown) => {
      if (!(error instanceof RequestError || error instanceof HttpError)) throw error;
    });
    return unknownOutcome(504, request);
  },
  unavailable: (_answer, request) => Promise.resolve(unknownOutcome(503, request)),
  'too-many-requests': () =>
    Promise.reject(throttled('Too many requests, as x-simulate asks. Repeat it after a second.', 1)),
};

/** Injects the fault that the header requests. Any other value is 400, and the request is not executed. */
export function faultsOn(store: () => Store): typeof production.respondToCaller {
  return async (event, { companyId, ...contract }, respond) => {
    const [value, ...others] = headerValues(event, header);
    if (value === undefined) return respond();
    const request = { ...contract, hasKey: headerValues(event, 'idempotency-key').length > 0 };
    const fault = others.length === 0 && Object.hasOwn(faults, value) ? faults[value] : undefined;
    if (fault !== undefined) return fault(respond, request);
    const slowMs = Number(/^slow=([1-9]\d{0,4})$/u.exec(value)?.[1] ?? Infinity);
    if (others.length > 0 || slowMs > maxSlowMs) {
      const known = `${Object.keys(faults).join(', ')}, slow=1 to slow=${maxSlowMs}`;
      throw badRequest(header, 'INVALID_VALUE', `Send one of ${known}.`);
    }
    return respondLate(store(), companyId, slowMs, respond);
  };
}

/** Executes the request immediately and responds late, as after a caller's timeout. */
async function respondLate(store: Store, companyId: string, slowMs: number, respond: Responder): Promise<HttpResponse> {
  const giveBack = await takeSlot({ store, now: systemClock }, companyId);
  if (giveBack === undefined) {
    const most = `At most ${slowCallsAtOnce} slow answers at once are made. Nothing was done; repeat the call later.`;
    throw throttled(most, maxSlowMs / 1000);
  }
  try {
    return await respond().finally(() => sleep(slowMs));
  } finally {
    // A slot that was not returned expires.
    await giveBack().catch(() => undefined);
  }
}

let connected: Store | undefined;
export const respondToCaller = faultsOn(() => (connected ??= connectStore(env('TABLE_NAME'))));

/** Concurrent slow responses of one company. */
export const slowCallsAtOnce = 10;
/** Seconds until the slot of a crashed function expires: longer than any function runs. */
export const heldAtMostSeconds = 15;

const slots = Array.from({ length: slowCallsAtOnce }, (_, index) => `place${index}`);

/**
 * Takes one of the company's slots for slow responses by a conditional write. A slot names its holder and its expiry.
 * Returns a function that returns the slot; undefined when none is free. @throws StoreUnavailable
 */
export async function takeSlot(
  { store, now }: { readonly store: Store; readonly now: Clock },
  companyId: string,
): Promise<(() => Promise<void>) | undefined> {
  const update = keys.slowCalls(companyId);
  const holder = crypto.randomUUID();
  let free: readonly string[] = slots;
  // In each try another holder may take the chosen slot first.
  for (let tries = 0; free.length > 0 && tries < slowCallsAtOnce; tries += 1) {
    const at = now();
    const slot = free[Math.floor(Math.random() * free.length)] ?? '';
    const held = `${plusSeconds(at, heldAtMostSeconds)} ${holder}`;
    const isFree = { any: [{ lacks: slot }, { before: { [slot]: at } }] };
    const taken = await store.writeOne({ update, set: { entity: 'SLOW_CALLS', [slot]: held }, when: isFree });
    const item = taken.ok ? undefined : taken.failed[0]?.item;
    // Taken also if the response was lost and the repeated write failed on its own effect.
    if (taken.ok || item?.[slot] === held)
      return async () => {
        await store.writeOne({ update, remove: [slot], when: { equals: { [slot]: held } } });
      };
    free = slots.filter((candidate) => isFreeIn(item, candidate, at));
  }
  return undefined;
}

function isFreeIn(item: Item | undefined, slot: string, at: string): boolean {
  const held = item?.[slot];
  return typeof held !== 'string' || held < at;
}

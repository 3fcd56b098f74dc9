import type { AnswerOf, RequestOf } from '#shared/contracts/contract.ts';
import type { ClockTurn } from '#shared/domain/company-clock.ts';
import { turnClock } from '#shared/domain/company-clock.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { catchUp } from '#shared/operations/catch-up.ts';
import { untilCommitted } from '#shared/persistence/commit.ts';
import { readOffsetMs, writeOffset } from '#shared/persistence/company-clock.ts';
import type { ClockDependencies } from '#shared/runtime/clock-dependencies.ts';
import { clockDependencies } from '#shared/runtime/clock-dependencies.ts';
import { clockView } from '#shared/views/clock.ts';
import { SetClock } from './contract.ts';

/** No job begins later than this after the request's start, milliseconds: the function must have time to finish it. */
const begunWithinMs = 4000;
/** How long the bank's answers are waited for, milliseconds from the request's start. */
const answeredWithinMs = 7500;

/**
 * Turns the company's clock forward, then does what became due. The clock is one conditional write: of two advances at
 * once both count, and what a function that dies leaves undone is finished by the next call or by the worker
 * `follow-clocks`.
 * @throws Refusal for a time that has passed.
 */
export async function setClock(
  { caller, requestId, body }: RequestOf<typeof SetClock>,
  deps: ClockDependencies,
): Promise<AnswerOf<typeof SetClock>> {
  const { store, ids, realNow, bank, settings, elapsedMs } = deps;
  const { companyId } = caller;
  const startedMs = elapsedMs();
  const leftMs = (withinMs: number): number => startedMs + withinMs - elapsedMs();
  const turn: ClockTurn = body.now === undefined ? { advanceSeconds: body.advanceSeconds ?? 0 } : { now: body.now };
  const clock = await untilCommitted(async () => {
    const from = await readOffsetMs(store, companyId);
    const turned = turnClock({ realAt: realNow(), offsetMs: from }, turn);
    const { offsetMs: to } = turned;
    return to === from || (await writeOffset(store, companyId, { from, to })) ? turned : undefined;
  });
  const done = await catchUp(
    {
      ...{ store, ids, realNow, bank, ispb: settings.ispb, companyId, requestId },
      remainingMs: () => leftMs(answeredWithinMs),
      mayGoOn: () => leftMs(begunWithinMs) > 0,
    },
    clock.now,
  );
  return { status: 200, body: { ...clockView(clock), ...done } };
}

export const handler = endpoint(SetClock, setClock, clockDependencies);

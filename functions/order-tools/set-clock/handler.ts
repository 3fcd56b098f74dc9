import type { Operation } from '#shared/contract/contract.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { ClockAdvance } from '#shared/sandbox/clock.ts';
import { advanceClock, companyTime } from '#shared/sandbox/clock.ts';
import { turnBankClock } from '#shared/sandbox/bank-tools.ts';
import { requireTurnable } from '#shared/sandbox/simulated-bank.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { createOnce } from '#shared/platform/idempotent-create.ts';
import { timeForBank } from '#shared/bank/submit-in-time.ts';
import { finishAdvance, repeatAdvance } from '#shared/sandbox/advance-clock.ts';
import {
  clockAdvanceInsert,
  clockCallSeconds,
  offsetWrite,
  parseOffsetMs,
  readOffsetMs,
} from '#shared/sandbox/clock-store.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { ClockDependencies } from '#functions/banks.ts';
import { clockDependencies } from '#functions/banks.ts';
import { advancedClockView } from '#shared/sandbox/clock-contract.ts';
import { SetClock } from './contract.ts';

/** Milliseconds after the request's start in which jobs after the first may begin: the function must end in time. */
const begunWithinMs = 4000;

/**
 * Turns the company's clock forward, then runs the work that became due. The clock is one conditional write with the
 * idempotency key: two concurrent advances both count. A repeated advance counts once, and finishes the work that a
 * crashed call left.
 * @throws RequestError for a time that has passed, and for a key used for another request.
 */
export const setClock: Operation<typeof SetClock, ClockDependencies> = async (
  request,
  { store, ids, realNow, bank, settings, elapsedMs },
) => {
  const { caller, requestId, body, idempotencyKey } = request;
  const { companyId } = caller;
  const mover = await requireTurnable(store, companyId);
  const startedMs = elapsedMs();
  const context = {
    store,
    ids,
    realNow,
    bank,
    ispb: settings.ispb,
    companyId,
    requestId,
    remainingMs: timeForBank(elapsedMs),
    // If the company has another bank, its due work is left to the worker, which can call that bank.
    runsJobs: mover === 'simulation',
    mayGoOn: () => elapsedMs() - startedMs < begunWithinMs,
  };
  /** Sets the clock of a bank on this machine to the company's time, before any work runs at that time. */
  const turnBank = async (now?: Instant): Promise<void> => {
    if (mover !== 'tools') return;
    await turnBankClock({ store, companyId }, now ?? companyTime(realNow(), await readOffsetMs(store, companyId)));
  };
  const advance: ClockAdvance =
    body.now === undefined ? { advanceSeconds: body.advanceSeconds ?? 0 } : { now: body.now };
  const { clock, done, replayed } = await createOnce({ store, now: realNow, realNow }, request, {
    operation: SetClock.operationId,
    keyLife: 'WEEK',
    find: async (read) => parseOffsetMs((await read([keys.companyClock(companyId)]))[0]),
    decide: (offsetMs, realAt) => ({ id: ids.uuid(), clock: advanceClock({ realAt, offsetMs }, advance) }),
    idOf: ({ id }) => id,
    change: ({ id, clock }, from, realAt) => ({
      writes: [
        offsetWrite(companyId, {
          from,
          to: clock.offsetMs,
          callEndsBy: context.runsJobs ? plusSeconds(realAt, clockCallSeconds) : undefined,
        }),
        ...(idempotencyKey === undefined ? [] : [clockAdvanceInsert(companyId, id, clock, realAt)]),
      ],
    }),
    response: async ({ id, clock }) => {
      await turnBank(clock.now);
      return finishAdvance(context, idempotencyKey === undefined ? undefined : id, clock);
    },
    replay: async (id) => {
      await turnBank();
      return repeatAdvance(context, id);
    },
  });
  return { status: 200, body: advancedClockView(clock, done), replayed };
};

export const handler = endpoint(SetClock, setClock, clockDependencies);

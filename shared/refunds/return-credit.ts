import type { Bank } from '../bank/bank.ts';
import { submitOnce } from '../bank/bank.ts';
import { readConnection } from '../bank/connection.ts';
import { repeating } from '../bank/repeat.ts';
import { nextPoll } from '../bank/polling.ts';
import type { RefundState } from '../bank/ports/refunds.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { forbiddenByState, notFound } from '../core/errors.ts';
import { transactionId } from '../core/identifiers.ts';
import { centavos, subtractCentavos } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import { askAgainAt } from '../core/resubmission.ts';
import type { ReceivedPix } from '../pay-ins/received.ts';
import { readReceived, receivedUpdate, returnTaken } from '../pay-ins/received.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import type { Transition, TransitionContext } from '../platform/commit-transition.ts';
import type { LedgerPosting } from '../platform/ledger/ledger.ts';
import type { SubmittedCommand } from '../bank/submit-in-time.ts';

type ReturnContext = TransitionContext & {
  readonly bank: Pick<Bank, 'refunds' | 'capabilities'>;
  readonly remainingMs: () => number;
};

/**
 * Reserves unmatched money and makes its return due at the bank, for an operator. A repetition changes nothing.
 * @throws RequestError 404; 409 when the money has been returned, the account cannot pay it, or its connection has
 * ended
 */
export async function requestReturn(context: TransitionContext, endToEndId: string): Promise<ReceivedPix> {
  const { store, companyId, ids, at } = context;
  const read = () => readReceived(store, companyId, endToEndId);
  return commitTransition<ReceivedPix | undefined, ReceivedPix>(context, read, async (received) => {
    if (received?.state === undefined) throw notFound('Unmatched credit');
    if (received.state === 'RETURNING') return { unchanged: received };
    if (received.state === 'RETURNED')
      throw forbiddenByState('endToEndId', 'TRANSITION_NOT_ALLOWED', 'The money has been returned.');
    const { connection } = received;
    const bank = connection === undefined ? undefined : await readConnection(store, companyId, connection);
    // No bank would receive the return, and its money would stay reserved permanently.
    if (bank?.endedAt !== undefined)
      throw forbiddenByState(
        'endToEndId',
        'INVALID_VALUE',
        'The connection to the bank that holds the money has ended.',
      );
    const after = { ...received, state: 'RETURNING', refundId: transactionId(ids) } as const;
    return {
      ledger: [postingOf(context, received, 'REFUND_RESERVED')],
      writes: [receivedUpdate(companyId, received, after, at)],
      result: after,
    };
  });
}

/** Changes of the balance by each kind, as multiples of the credit's amount. */
const moves = {
  REFUND_RESERVED: { available: -1, reserved: 1 },
  REFUND_SETTLED: { available: 0, reserved: -1 },
  REFUND_RETURNED: { available: 1, reserved: -1 },
} as const;

function postingOf(
  { ids, at }: Pick<TransitionContext, 'ids' | 'at'>,
  { accountId, amount }: ReceivedPix,
  kind: keyof typeof moves,
): LedgerPosting {
  const signed = (sign: -1 | 0 | 1) =>
    sign === 1 ? amount : sign === 0 ? centavos(0) : subtractCentavos(centavos(0), amount);
  const { available, reserved } = moves[kind];
  return { accountId, kind, available: signed(available), reserved: signed(reserved), at, entryId: ids.uuid() };
}

/** Submits the return of unmatched money, after a lookup, and applies the response. Due again until it ends. */
export async function submitReturn(context: ReturnContext, endToEndId: string): Promise<SubmittedCommand> {
  const { store, bank, companyId, at, realNow, remainingMs } = context;
  const received = await readReceived(store, companyId, endToEndId);
  const reference = received?.refundId;
  if (received?.state !== 'RETURNING' || reference === undefined) return 'NOTHING_TO_DO';
  // Written before the bank call: after a crash the next lookup comes later than the bank's reads lag.
  if (!(await store.writeOne(returnTaken(companyId, received, realNow()))).ok) return 'NOTHING_TO_DO';
  const { connection, amount } = received;
  const order = { reference, endToEndId, amount };
  const options = {
    again: await repeating(context, 'refund', { reference, connection }),
    whenUnknown: 'LEAVE',
    remainingMs,
  } as const;
  const response = await submitOnce(bank.refunds, order, { companyId, connection, at }, options);
  const isOpen = response.outcome === 'UNKNOWN' || response.outcome === 'NOT_NOW';
  const state: RefundState = isOpen
    ? { status: 'PENDING' }
    : response.outcome === 'DONE'
      ? response.state
      : { status: 'FAILED', ...pick(response, 'code', 'reason') };
  const due = isOpen ? askAgainAt(realNow()) : nextPoll('REFUND_POLL', received.at, realNow());
  await applyReturn(context, endToEndId, state, due);
  if (isOpen) return 'UNKNOWN';
  return state.status === 'FAILED' ? 'REFUSED' : 'ACCEPTED';
}

/** Applies the bank's state of a return of unmatched money, whichever way the bank reported it. */
export async function applyReturnState(
  context: TransitionContext,
  endToEndId: string,
  state: RefundState,
): Promise<void> {
  // An open return is looked up again at its due time.
  if (state.status !== 'PENDING') await applyReturn(context, endToEndId, state, context.realNow());
}

/**
 * Records the bank's state. A settled return is `RETURNED`. After a failure the money is available in the account and
 * among the unmatched credits again. An open return stays due.
 */
async function applyReturn(
  context: TransitionContext,
  endToEndId: string,
  state: RefundState,
  due: Instant,
): Promise<void> {
  const { store, companyId } = context;
  const { status } = state;
  const returned = state.status === 'SETTLED' ? { endToEndId: state.returnId } : {};
  const read = () => readReceived(store, companyId, endToEndId);
  await commitTransition<ReceivedPix | undefined, unknown>(
    context,
    read,
    (received): Transition<unknown> | { unchanged: undefined } => {
      if (received?.state !== 'RETURNING') return { unchanged: undefined };
      if (status === 'PENDING')
        return { writes: [receivedUpdate(companyId, received, received, due)], result: undefined };
      const { refundId: _failed, ...before } = received;
      const [kind, after] =
        status === 'SETTLED'
          ? (['REFUND_SETTLED', { ...received, state: 'RETURNED' }] as const)
          : (['REFUND_RETURNED', { ...before, state: 'UNMATCHED' }] as const);
      return {
        ledger: [{ ...postingOf(context, received, kind), ...returned }],
        writes: [receivedUpdate(companyId, received, after)],
        result: undefined,
      };
    },
  );
}

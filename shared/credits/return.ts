import type { Bank } from '../bank/bank.ts';
import { submitOnce } from '../bank/bank.ts';
import { readConnection } from '../bank/connection.ts';
import { nextPoll } from '../bank/polling.ts';
import { repeating } from '../bank/repeat.ts';
import { report } from '../bank/report.ts';
import type { RefundState } from '../bank/ports/refunds.ts';
import { returnEventOf } from '../bank/ports/refunds.ts';
import type { SubmittedCommand } from '../bank/submit-in-time.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { forbiddenByState } from '../core/errors.ts';
import { transactionId } from '../core/identifiers.ts';
import { centavos, subtractCentavos } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import type { Change } from '../platform/commit.ts';
import type { Transition, TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import { counterpartyOf } from '../platform/ledger/balance.ts';
import type { LedgerPosting } from '../platform/ledger/ledger.ts';
import type { Credit, CreditReturn, CreditWithReturns } from './model.ts';
import { creditReturnNotification } from './notification.ts';
import { decideCreditReturn, requestCreditReturn } from './states.ts';
import {
  creditOfReturnPut,
  creditReturnDueAt,
  creditReturnPut,
  creditReturnTaken,
  creditUpdate,
  readCredit,
  readOpenReturn,
  requireCredit,
} from './store.ts';

/** @throws RequestError 409 when the connection to the bank that holds the money has ended */
export async function requireReturnable(
  { store, companyId }: Pick<TransitionContext, 'store' | 'companyId'>,
  { connection }: Credit,
): Promise<void> {
  const bank = connection === undefined ? undefined : await readConnection(store, companyId, connection);
  // No bank would receive the return, and its money would stay reserved permanently.
  if (bank?.endedAt !== undefined)
    throw forbiddenByState('id', 'INVALID_VALUE', 'The connection to the bank that holds the money has ended.');
}

type Moment = { readonly at: Instant; readonly entryId: string };
/**
 * `due`: when its worker submits it, by the machine's time. `requireActive`: whether the account must be active: for a
 * partner, not for an operator.
 */
type Asked = Moment & { readonly due: Instant; readonly requireActive: boolean };

/**
 * Returns the writes of a new return, with its amount reserved. They raise the credit's version, so that one of two
 * concurrent requests fails and finds the other return.
 */
export function creditReturnChange(
  companyId: string,
  { credit }: CreditWithReturns,
  returned: CreditReturn,
  { requireActive, due, ...moment }: Asked,
): Pick<Change, 'ledger' | 'writes'> {
  const { amount } = returned;
  const money = { available: subtractCentavos(centavos(0), amount), reserved: amount };
  const posting = postingOf(credit, returned, { kind: 'REFUND_RESERVED', ...money }, moment);
  return {
    ledger: [{ ...posting, ...(requireActive && { requireActive }) }],
    writes: [
      creditUpdate(companyId, credit, { ...credit, version: credit.version + 1 }),
      creditReturnPut(companyId, returned, due),
      creditOfReturnPut(companyId, returned),
    ],
  };
}

/**
 * Requests the return of all that is left of a credit, for an operator; its worker submits it. While a return is open,
 * nothing changes.
 * @throws RequestError 404; 409 as `requestCreditReturn`, when the account cannot pay it, or its connection has ended
 */
export async function requestAllOf(context: TransitionContext, creditId: string): Promise<Credit> {
  const { store, companyId, ids, at, realNow } = context;
  const read = () => requireCredit(store, companyId, creditId);
  return commitTransition<CreditWithReturns, Credit>(context, read, async (found) => {
    const { credit, returns } = found;
    if (returns.some(({ status }) => status === 'PENDING')) return { unchanged: credit };
    await requireReturnable(context, credit);
    const returned = requestCreditReturn(found, { id: transactionId(ids), at });
    const asked = { at, due: realNow(), entryId: ids.uuid(), requireActive: false };
    return { ...creditReturnChange(companyId, found, returned, asked), result: credit };
  });
}

type Effect = Pick<LedgerPosting, 'kind' | 'available' | 'reserved'>;

function postingOf(
  { id: creditId, accountId, payer }: Credit,
  { id: refundId, endToEndId }: CreditReturn,
  effect: Effect,
  { at, entryId }: Moment,
): LedgerPosting {
  const references = { creditId, refundId, ...pick({ endToEndId }, 'endToEndId') };
  const other = payer === undefined ? {} : { counterparty: counterpartyOf(payer) };
  return { accountId, ...effect, ...references, ...other, at, entryId };
}

type ReturnContext = TransitionContext & {
  readonly bank: Pick<Bank, 'refunds' | 'capabilities'>;
  readonly remainingMs?: () => number;
};

type OpenReturn = { readonly credit: Credit; readonly returned: CreditReturn };

/** Submits the return of a due job: a lookup comes first. */
export async function submitDueReturn(context: ReturnContext, jobId: string): Promise<SubmittedCommand> {
  const open = await readOpenReturn(context.store, context.companyId, jobId);
  return open === undefined ? 'NOTHING_TO_DO' : submitReturn(context, open, { again: true });
}

/**
 * Submits an open return to the bank that received the credit, and applies the response. With `again` the bank may have
 * it already: a lookup comes first, and of two concurrent runs only one continues. It stays due until it ends.
 */
export async function submitReturn(
  context: ReturnContext,
  { credit, returned }: OpenReturn,
  { again }: { readonly again: boolean },
): Promise<SubmittedCommand> {
  const { store, bank, companyId, at, realNow, remainingMs = () => Infinity } = context;
  // Written before the bank call: after a crash the next lookup comes later than the bank's reads lag.
  if (again && !(await store.writeOne(creditReturnTaken(companyId, returned, realNow()))).ok) return 'NOTHING_TO_DO';
  const { connection, endToEndId } = credit;
  const { id: reference, amount } = returned;
  const repeated = again && (await repeating(context, 'refund', { reference, connection }));
  const options = { again: repeated, whenUnknown: 'ASK', remainingMs } as const;
  const order = { reference, endToEndId, amount };
  const response = await submitOnce(bank.refunds, order, { companyId, connection, at }, options);
  switch (response.outcome) {
    case 'DONE':
      if (response.state.status === 'PENDING')
        await store.writeOne(
          creditReturnDueAt(companyId, returned, nextPoll('REFUND_POLL', returned.createdAt, realNow())),
        );
      await applyReturnState(context, returned, response.state);
      return 'ACCEPTED';
    case 'REFUSED':
      await applyReturnState(context, returned, { status: 'FAILED', ...pick(response, 'code', 'reason') });
      return 'REFUSED';
    case 'UNKNOWN':
    case 'NOT_NOW':
      return 'UNKNOWN';
  }
}

/** Applies the bank's state of a return, once. A final status stays: a state that contradicts it is reported. */
export async function applyReturnState(
  context: TransitionContext,
  { id, creditId }: Pick<CreditReturn, 'id' | 'creditId'>,
  state: RefundState,
): Promise<void> {
  const event = returnEventOf(state);
  if (event === undefined) return;
  const { store, companyId } = context;
  const read = () => readCredit(store, companyId, creditId);
  const before = await commitTransition<CreditWithReturns | undefined, CreditReturn | undefined>(
    context,
    read,
    (found) => {
      const returned = found?.returns.find((candidate) => candidate.id === id);
      if (found === undefined || returned === undefined) throw new Error('Cannot find a requested return.');
      if (returned.status !== 'PENDING') return { unchanged: returned };
      return {
        ...creditReturnTransition(context, found, decideCreditReturn(found, returned, event, context.at)),
        result: undefined,
      };
    },
  );
  const number = event.outcome === 'SETTLED' ? event.endToEndId : before?.endToEndId;
  if (before !== undefined && (before.status !== state.status || before.endToEndId !== number))
    report('BankContradictions', { companyId, creditId, refundId: id, said: state.status });
}

/** Returns the transition that a decided return causes: its credit, the ledger entry and the notification. */
export function creditReturnTransition(
  { companyId, requestId, ids, at }: Pick<TransitionContext, 'companyId' | 'requestId' | 'ids' | 'at'>,
  { credit: before }: CreditWithReturns,
  { credit, returned, balance }: ReturnType<typeof decideCreditReturn>,
): Transition<ReturnType<typeof decideCreditReturn>> {
  const resource = { type: 'CREDIT', id: credit.id } as const;
  const target = { type: 'CREDIT' } as const;
  return {
    ledger: [postingOf(credit, returned, balance, { at, entryId: ids.uuid() })],
    writes: [creditUpdate(companyId, before, credit), creditReturnPut(companyId, returned)],
    notifications: [{ id: ids.uuid(), requestId, resource, target, ...creditReturnNotification(credit, returned) }],
    reached: [
      ...(credit.status === before.status ? [] : [['CREDIT', credit.status] as const]),
      ['CREDIT_RETURN', returned.status],
    ],
    result: { credit, returned, balance },
  };
}

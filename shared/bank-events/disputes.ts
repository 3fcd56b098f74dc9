import * as z from 'zod';
import type { ReturnedPayment } from '../bank/ports/shapes.ts';
import type { DisputeKind } from '../core/dispute-kind.ts';
import { notFound, RequestError } from '../core/errors.ts';
import { readCreditedPayment } from '../credits/disputed.ts';
import type { ReceivedPix } from '../credits/received.ts';
import { readCredit } from '../credits/store.ts';
import type { ChangedDispute, Means } from '../disputes/decide.ts';
import { decideDisputeOf, openDisputeOf } from '../disputes/decide.ts';
import type { Dispute } from '../disputes/model.ts';
import type { Claim, DisputeEvent } from '../disputes/states.ts';
import { readPayIn } from '../pay-ins/store.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { keys } from '../platform/table/keys.ts';
import { parserOf } from '../platform/table/parse.ts';
import type { Store, Write } from '../platform/table/store.ts';
import { readPaidPayIn } from '../refunds/disputed.ts';

/** The pay-in or credit whose payment is disputed. */
export type Disputed = Pick<Dispute, 'orderId' | 'creditId'>;

/** Opens a dispute of the payment of a pay-in or credit. @throws RequestError 404; 409 as `openDisputeOf` */
export function openDispute(
  context: TransitionContext,
  of: Disputed,
  claim: Claim,
  also?: Means['also'],
): Promise<ChangedDispute> {
  return openDisputeOf(context, of, claim, { readPayment: readerOf(context), ...(also && { also }) });
}

/** Applies what the bank says of a dispute. @throws RequestError 404; 409 as `decideDisputeOf` */
export function decideDispute(
  context: TransitionContext,
  id: string,
  event: DisputeEvent,
  also?: Means['also'],
): Promise<ChangedDispute> {
  return decideDisputeOf(context, id, event, { readPayment: readerOf(context), ...(also && { also }) });
}

function readerOf({ store, companyId }: TransitionContext): Means['readPayment'] {
  return ({ orderId, creditId }) => {
    if (orderId !== undefined) return readPaidPayIn(store, companyId, orderId);
    if (creditId !== undefined) return readCreditedPayment(store, companyId, creditId);
    throw notFound('Payment');
  };
}

/**
 * Returns what a dispute of received money is about: its pay-in or its credit. A credit may name an order that another
 * payment paid; an assigned one pays that order. @throws Error for money of neither
 */
export async function disputedOf(
  { store, companyId }: Pick<TransitionContext, 'store' | 'companyId'>,
  { orderId, creditId }: Pick<ReceivedPix, 'orderId' | 'creditId'>,
): Promise<Disputed> {
  const credit = creditId === undefined ? undefined : (await readCredit(store, companyId, creditId))?.credit;
  if (credit !== undefined && credit.status !== 'ASSIGNED') return { creditId: credit.id };
  if (orderId !== undefined) return { orderId };
  throw new Error('Received money belongs to no pay-in and no credit.');
}

/** Reads the id of the open dispute of a payment. */
export async function readOpenDisputeId(
  { store, companyId }: Pick<TransitionContext, 'store' | 'companyId'>,
  { orderId, creditId }: Disputed,
): Promise<string | undefined> {
  if (orderId !== undefined) return (await readPayIn(store, companyId, orderId))?.disputeId;
  return creditId === undefined ? undefined : (await readCredit(store, companyId, creditId))?.credit.disputeId;
}

/** A return without a request; `claim`: why the banks made it, if by a claim. */
type TakenBack = Pick<ReturnedPayment, 'returnId' | 'amount'> & { readonly claim?: DisputeKind };

/**
 * Books once what the bank has taken back: by the open dispute of its payment, which is accepted, or by one that is
 * opened for it. A repetition after a crash goes on with that one.
 * @returns whether it is booked now, or was before; `REFUSED` for one without a claim, when the payment has less left,
 * or when another account of the company made it
 */
export async function bookTakenBack(
  context: TransitionContext,
  received: Pick<ReceivedPix, 'orderId' | 'creditId'>,
  returned: TakenBack,
): Promise<'BOOKED' | 'SAME' | 'REFUSED'> {
  const { store, companyId } = context;
  const { returnId, amount } = returned;
  const isBooked = async () => (await readReturnDispute(store, companyId, returnId)) !== undefined;
  if (await isBooked()) return 'SAME';
  const { claim: kind } = returned;
  if (kind === undefined) return 'REFUSED';
  const payment = await disputedOf(context, received);
  const book = async (): Promise<'BOOKED' | 'SAME' | 'REFUSED'> => {
    try {
      const id =
        (await readOpenDisputeId(context, payment)) ?? (await openForReturn(context, payment, { kind, amount }));
      await decideDispute(context, id, { outcome: 'ACCEPTED', amount, isTaken: true }, () =>
        disputeReturnWrites(companyId, returnId, id),
      );
      return 'BOOKED';
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      return (await isBooked()) ? 'SAME' : 'REFUSED';
    }
  };
  const first = await book();
  // Another run may have opened the dispute after this one looked for it: the second try accepts that one.
  return first === 'REFUSED' ? book() : first;
}

/** Opens a dispute for money that has gone already: no defence helps. @throws RequestError 409 */
async function openForReturn(
  context: TransitionContext,
  payment: Disputed,
  { kind, amount }: Pick<Dispute, 'kind' | 'amount'>,
): Promise<string> {
  const { at } = context;
  const claim = { kind, reason: 'The bank returned the payment.', dueAt: at, amount };
  const { dispute } = await openDispute(context, payment, claim);
  return dispute.id;
}

const DisputeReturnItem = z.object({
  entity: z.literal('DISPUTE_RETURN'),
  returnId: z.string(),
  disputeId: z.string(),
});
const parseDisputeReturn = parserOf(DisputeReturnItem, 'return of a dispute');

/**
 * The writes by which a return of the banks is booked once, with the dispute that has it: it is no unsolicited return
 * any more.
 */
export function disputeReturnWrites(companyId: string, returnId: string, disputeId: string): readonly Write[] {
  const put = { ...keys.disputeReturn(companyId, returnId), entity: 'DISPUTE_RETURN', returnId, disputeId };
  return [{ put, when: { is: 'absent' } }, { delete: keys.unsolicitedReturn(companyId, returnId) }];
}

/** Reads the id of the dispute that booked a return of the banks. */
export async function readReturnDispute(
  store: Store,
  companyId: string,
  returnId: string,
): Promise<string | undefined> {
  const [item] = await store.read([keys.disputeReturn(companyId, returnId)]);
  return item && parseDisputeReturn(item).disputeId;
}

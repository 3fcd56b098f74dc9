import { childOrderId } from '../core/identifiers.ts';
import { pick } from '../core/pick.ts';
import type { Bank } from '../bank/bank.ts';
import type { RequestContext } from '../bank/outcome.ts';
import type { PaymentOrder } from '../bank/ports/payouts.ts';
import type { PayoutWithPayments } from './model.ts';

/** A payment as the bank gets it. `sequence`: its place, if it belongs to a batch. */
export type OrderedPayment = { readonly sequence?: number; readonly order: PaymentOrder };

/** All payments of a payout as the bank gets them. */
function paymentOrders({ payout, payments }: PayoutWithPayments): readonly OrderedPayment[] {
  const { id, accountId, amount, ownerBank, paymentData } = payout;
  const common = {
    payer: { ...ownerBank, id: accountId },
    ...pick(payout, 'initiation', 'receiver', 'description', 'txid'),
    ...pick(paymentData, 'qrcodeData'),
  };
  if (payments.length === 0)
    return [{ order: { ...common, reference: id, amount, ...pick(payout, 'endToEndId', 'controlNumber') } }];
  return payments.map((payment) => {
    const { sequence, amount: part } = payment;
    const reference = childOrderId(id, sequence);
    return { sequence, order: { ...common, reference, amount: part, ...pick(payment, 'endToEndId') } };
  });
}

/** Returns the open payments of a payout; none for a TED that was not sent yet. */
export function openPayments(found: PayoutWithPayments): readonly OrderedPayment[] {
  const { payout, payments } = found;
  if (payout.paymentMethod === 'TED' && payout.controlNumber === undefined) return [];
  const isOpen = ({ sequence }: OrderedPayment): boolean =>
    (sequence === undefined ? payout : payments.find((payment) => payment.sequence === sequence))?.status === 'PENDING';
  return paymentOrders(found).filter(isOpen);
}

/**
 * Returns a new payout with the end-to-end ids that its bank gives before a payment is sent. A bank may give none, or
 * has given that of the first payment already. @throws BankUnavailable
 */
export async function withEndToEndIds(
  { payouts }: Pick<Bank, 'payouts'>,
  created: PayoutWithPayments,
  context: RequestContext,
): Promise<PayoutWithPayments> {
  if (created.payout.paymentMethod === 'TED') return created;
  const prepared = await Promise.all(
    paymentOrders(created).map(({ order }) =>
      order.endToEndId === undefined ? payouts.prepare(order, context) : Promise.resolve(pick(order, 'endToEndId')),
    ),
  );
  return {
    payout: { ...created.payout, ...prepared[0] },
    payments: created.payments.map((payment, index) => ({ ...payment, ...prepared[index] })),
  };
}

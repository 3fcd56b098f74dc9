import type * as z from 'zod';
import { amountView } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import type { CreatedCreditReturn, CreditEntry, CreditRecord, CreditReturnRecord } from './contract.ts';
import type { Credit, CreditReturn, CreditWithReturns } from './model.ts';

export function creditEntryView(credit: Credit): z.output<typeof CreditEntry> {
  const { returnedAmount } = credit;
  return {
    ...pick(credit, 'id', 'accountId', 'endToEndId', 'reason', 'payer', 'status', 'orderId', 'assignedBy'),
    ...pick(credit, 'receivedAt', 'updatedAt'),
    amount: amountView(credit.amount),
    ...(returnedAmount !== undefined && { returnedAmount: amountView(returnedAmount) }),
  };
}

export function creditView({ credit, returns }: CreditWithReturns): z.output<typeof CreditRecord> {
  const rank = ({ createdAt, id }: CreditReturn): string => `${createdAt} ${id}`;
  const newest = returns.toSorted((a, b) => (rank(a) < rank(b) ? 1 : -1));
  return { ...creditEntryView(credit), returns: newest.map(creditReturnView) };
}

export function creditReturnView(returned: CreditReturn): z.output<typeof CreditReturnRecord> {
  const { id: returnId, amount } = returned;
  const rest = pick(returned, 'creditId', 'status', 'createdAt', 'createdBy', 'endToEndId', 'errorMessage');
  return { returnId, amount: amountView(amount), ...rest };
}

/** Returns the response to the request of a return, the same whatever its status is now. */
export function createdCreditReturnView(returned: CreditReturn): z.output<typeof CreatedCreditReturn> {
  const { id: returnId, creditId, amount, createdAt } = returned;
  return { returnId, creditId, amount: amountView(amount), status: 'PENDING', createdAt };
}

import * as z from 'zod';
import type { PayIn } from '../domain/pay-in.ts';
import { PAY_IN_STATUSES } from '../domain/pay-in.ts';
import type { Refund } from '../domain/refund.ts';
import { dueAt, keys } from './keys.ts';
import { StoredCentavos } from './ledger.ts';
import { CounterpartShape, OwnerBankShape, parsed } from './parse.ts';
import type { Item, Put } from './store.ts';

const PayInItem = z.object({
  entity: z.literal('PAY_IN'),
  id: z.string(),
  externalId: z.string(),
  accountId: z.string(),
  status: z.enum(PAY_IN_STATUSES),
  errorMessage: z.string().exactOptional(),
  qrcodeData: z.string(),
  expireDateTime: z.string(),
  amount: StoredCentavos,
  description: z.string(),
  conciliationId: z.string(),
  endToEndId: z.string().exactOptional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  paidAt: z.string().exactOptional(),
  refundedAt: z.string().exactOptional(),
  canceledAt: z.string().exactOptional(),
  expiredAt: z.string().exactOptional(),
  payer: CounterpartShape,
  ownerBank: OwnerBankShape,
  subscription: z.object({ id: z.string(), code: z.string() }).exactOptional(),
  version: z.int(),
});

const RefundItem = z.object({
  entity: z.literal('REFUND'),
  id: z.string(),
  orderId: z.string(),
  amount: StoredCentavos,
  status: z.enum(['PENDING', 'SETTLED']),
  description: z.string().exactOptional(),
  createdAt: z.string(),
  settledAt: z.string().exactOptional(),
  endToEndId: z.string().exactOptional(),
});

export function isPayIn(item: Item): boolean {
  return item['entity'] === 'PAY_IN';
}

export function payInOf(item: Item): PayIn {
  const { entity: _entity, ...payIn } = parsed(PayInItem, item, 'pay-in');
  return payIn;
}

export function refundOf(item: Item): Refund {
  const { entity: _entity, ...refund } = parsed(RefundItem, item, 'refund');
  return refund;
}

/** A new pay-in; while it is pending it stands in the due index at its expiry. */
export function payInCreated(companyId: string, payIn: PayIn): Put {
  return { put: payInItem(companyId, payIn), when: { is: 'absent' } };
}

/** A pay-in after a move, if nobody moved it meanwhile. */
export function payInMoved(companyId: string, before: PayIn, after: PayIn): Put {
  const { status, version } = before;
  return { put: payInItem(companyId, after), when: { equals: { status, version } } };
}

/** A refund that is new, or that was still pending. */
export function refundWritten(companyId: string, refund: Refund): Put {
  const put = { ...keys.refund(companyId, refund.orderId, refund.id), entity: 'REFUND', ...refund };
  return { put, when: { any: [{ is: 'absent' }, { equals: { status: 'PENDING' } }] } };
}

function payInItem(companyId: string, payIn: PayIn): Item {
  const expiry = payIn.status === 'PENDING' ? dueAt(companyId, 'PAY_IN_EXPIRY', payIn.expireDateTime, payIn.id) : {};
  return { ...keys.order(companyId, payIn.id), ...expiry, entity: 'PAY_IN', ...payIn };
}

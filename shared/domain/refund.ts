import type { Instant } from './brasilia-time.ts';
import type { Centavos } from './money.ts';

/** The return of a pay-in's whole amount. `PENDING` from the request, its amount reserved, until the bank settles it. */
export type Refund = {
  /** 32 hexadecimal digits: the `id` of a devolução in the BCB's Pix API. */
  readonly id: string;
  readonly orderId: string;
  readonly amount: Centavos;
  readonly status: 'PENDING' | 'SETTLED';
  readonly description?: string;
  readonly createdAt: Instant;
  readonly settledAt?: Instant;
  /** `rtrId`, `D…`: known when settled. */
  readonly endToEndId?: string;
};

/** The refund that waits for the bank; at most one at a time. */
export function openRefund(refunds: readonly Refund[]): Refund | undefined {
  return refunds.find(({ status }) => status === 'PENDING');
}

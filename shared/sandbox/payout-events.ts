import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import { endToEndId, strControlNumber } from '#shared/core/identifiers.ts';
import type { PayoutWithPayments } from '#shared/payouts/model.ts';
import type { PayoutEvent } from '#shared/payouts/states.ts';
import { spiRefusals } from '#shared/core/spi-codes.ts';

type Source = { readonly ids: Ids; readonly at: Instant; readonly ispb: string };

/** The bank event of a payment, in a batch by its place: with its own numbers, or new ones where it has none. */
export function simulatedPayoutEvent(
  outcome: PayoutEvent['outcome'],
  { payout, payments }: PayoutWithPayments,
  sequence: number | undefined,
  source: Source,
): PayoutEvent {
  switch (outcome) {
    case 'PAID':
      return { outcome, at: source.at, ...numberOf({ payout, payments }, sequence, source) };
    case 'ERROR':
      return { outcome, code: 'DS04', reason: spiRefusals.DS04 };
    case 'CANCELED':
      return { outcome };
  }
}

function numberOf(
  { payout, payments }: PayoutWithPayments,
  sequence: number | undefined,
  { ids, at, ispb }: Source,
): { readonly endToEndId: string } | { readonly controlNumber: string } {
  if (payout.paymentMethod === 'TED') return { controlNumber: payout.controlNumber ?? strControlNumber(at, ids) };
  const payment = payments.find((one) => one.sequence === sequence) ?? payout;
  return { endToEndId: payment.endToEndId ?? endToEndId(ispb, at, ids) };
}

import type * as z from 'zod';
import type { PayInEntry, PayInRecord } from './contract.ts';
import type { PayIn } from './model.ts';
import { qrImageBase64 } from '../contract/qr-image.ts';
import { pick } from '../core/pick.ts';
import { amountView } from '../core/money.ts';

/**
 * A pay-in as the API writes it (2.6). A pay-in of a scheduled payment has no QR code: both QR code fields are empty.
 */
export function payInView(payIn: PayIn): z.output<typeof PayInRecord> {
  const qrcodeImageBase64 = payIn.qrcodeData === '' ? '' : qrImageBase64(payIn.qrcodeData);
  return { ...nameOf(payIn), qrcodeImageBase64, ...factsOf(payIn) };
}

export function payInEntryView(payIn: PayIn): z.output<typeof PayInEntry> {
  return { ...nameOf(payIn), ...factsOf(payIn) };
}

function nameOf(payIn: PayIn) {
  return pick(payIn, 'id', 'externalId', 'status', 'errorMessage');
}

function factsOf(payIn: PayIn) {
  const { refundedAmount } = payIn;
  return {
    ...pick(payIn, 'qrcodeData', 'expireDateTime'),
    amount: amountView(payIn.amount),
    ...pick(payIn, 'description', 'conciliationId', 'endToEndId'),
    paymentMethod: 'PIX' as const,
    ...pick(payIn, 'createdAt', 'createdBy', 'paidAt', 'refundedAt', 'canceledAt', 'canceledBy', 'expiredAt'),
    ...(refundedAmount !== undefined && { refundedAmount: amountView(refundedAmount) }),
  };
}

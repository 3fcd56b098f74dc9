import type * as z from 'zod';
import type { PayInEntry, PayInRecord } from './contract.ts';
import type { PayIn } from './model.ts';
import { qrImageBase64 } from '../contract/qr-image.ts';
import { amountView } from '../contract/amount-view.ts';

/** A pay-in as the API writes it (2.6). One that settles a scheduled payment has no QR code: both fields are empty. */
export function payInView(payIn: PayIn): z.output<typeof PayInRecord> {
  const { id, externalId, status, ...rest } = payInEntryView(payIn);
  const qrcodeImageBase64 = payIn.qrcodeData === '' ? '' : qrImageBase64(payIn.qrcodeData);
  const { errorMessage, ...facts } = rest;
  return { id, externalId, status, ...(errorMessage !== undefined && { errorMessage }), qrcodeImageBase64, ...facts };
}

/** A pay-in as lists show it. */
export function payInEntryView(payIn: PayIn): z.output<typeof PayInEntry> {
  const { errorMessage, endToEndId, paidAt, refundedAt, canceledAt, expiredAt } = payIn;
  return {
    id: payIn.id,
    externalId: payIn.externalId,
    status: payIn.status,
    ...(errorMessage !== undefined && { errorMessage }),
    qrcodeData: payIn.qrcodeData,
    expireDateTime: payIn.expireDateTime,
    amount: amountView(payIn.amount),
    description: payIn.description,
    conciliationId: payIn.conciliationId,
    ...(endToEndId !== undefined && { endToEndId }),
    paymentMethod: 'PIX',
    createdAt: payIn.createdAt,
    ...(paidAt !== undefined && { paidAt }),
    ...(refundedAt !== undefined && { refundedAt }),
    ...(canceledAt !== undefined && { canceledAt }),
    ...(expiredAt !== undefined && { expiredAt }),
  };
}

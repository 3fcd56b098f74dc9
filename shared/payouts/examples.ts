import type * as z from 'zod';
import type { PayInRecord } from '#shared/pay-ins/contract.ts';
import type { CreatedPayout, PayoutRecord } from './contract.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import { brl, maria } from '#shared/contract/examples/parties.ts';
import { chargeCode, exampleImage } from '#shared/contract/examples/qr-code.ts';
import { exampleTimes } from '#shared/contract/examples/times.ts';

/** A pay-in that waits to be paid. */
export const pendingPayIn = {
  id: exampleIds.payInId,
  externalId: 'invoice-2026-0042',
  status: 'PENDING',
  qrcodeImageBase64: exampleImage,
  qrcodeData: chargeCode,
  expireDateTime: '2026-01-16T12:00:00.000Z',
  amount: brl('29.90'),
  description: 'Fatura 42',
  conciliationId: '6f1d2c3b4a594e8f9a0b1c2d3e4f5a00',
  paymentMethod: 'PIX',
  createdAt: exampleTimes.created,
} satisfies z.output<typeof PayInRecord>;

export const paidPayIn = {
  ...pendingPayIn,
  status: 'PAID',
  endToEndId: 'E60701190202601151205A1b2C3d4E5f',
  paidAt: exampleTimes.paid,
} satisfies z.output<typeof PayInRecord>;

/** A payout that the bank has not made yet. */
export const pendingPayout = {
  id: exampleIds.payoutId,
  externalId: 'payment-981',
  status: 'PENDING',
  amount: '7.25',
  currency: 'BRL',
  description: 'Reembolso',
  endToEndId: 'E12345678202601151210X9y8Z7w6V00',
} satisfies z.output<typeof CreatedPayout>;

/** The same as it is read. */
export const shownPayout = {
  ...pendingPayout,
  accountId: exampleIds.accountId,
  paymentMethod: 'PIX',
  receiver: maria,
  paymentData: { pixKey: 'maria@example.com' },
  createdAt: exampleTimes.created,
  updatedAt: exampleTimes.created,
} satisfies z.output<typeof PayoutRecord>;

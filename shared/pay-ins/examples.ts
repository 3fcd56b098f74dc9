import type * as z from 'zod';
import type { PayInEntry, PayInRecord } from './contract.ts';
import { brl, chargeCode, exampleIds, exampleImage, exampleTimes } from '../contract/examples.ts';

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

const { qrcodeImageBase64: _image, ...entry } = paidPayIn;
export const paidPayInEntry = entry satisfies z.output<typeof PayInEntry>;

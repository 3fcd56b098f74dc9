import type * as z from 'zod';
import type { CreatedPayout, PayoutRecord } from './contract.ts';
import { exampleIds, exampleTimes, maria } from '../contract/examples.ts';

export const pendingPayout = {
  id: exampleIds.payoutId,
  externalId: 'payment-981',
  status: 'PENDING',
  amount: '7.25',
  currency: 'BRL',
  description: 'Reembolso',
  endToEndId: 'E12345678202601151210X9y8Z7w6V00',
} satisfies z.output<typeof CreatedPayout>;

export const shownPayout = {
  ...pendingPayout,
  accountId: exampleIds.accountId,
  paymentMethod: 'PIX',
  receiver: maria,
  paymentData: { pixKey: 'maria@example.com' },
  createdAt: exampleTimes.created,
  updatedAt: exampleTimes.created,
} satisfies z.output<typeof PayoutRecord>;

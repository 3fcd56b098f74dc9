import type * as z from 'zod';
import { brl, exampleIds, exampleTimes, maria, mariasBank } from '../contract/examples.ts';
import type { CreditEntry, CreditRecord } from './contract.ts';

export const openCreditEntry = {
  id: exampleIds.creditId,
  accountId: exampleIds.accountId,
  endToEndId: 'E60701190202601151205A1b2C3d4E5f',
  amount: brl('29.90'),
  reason: 'SECOND_PAYMENT',
  payer: {
    ...maria,
    bank: { ispb: mariasBank.ispb, branch: mariasBank.branchNumber, account: mariasBank.accountNumber },
  },
  status: 'OPEN',
  orderId: exampleIds.payInId,
  receivedAt: exampleTimes.paid,
  updatedAt: exampleTimes.paid,
} satisfies z.output<typeof CreditEntry>;

export const openCredit = { ...openCreditEntry, returns: [] } satisfies z.output<typeof CreditRecord>;

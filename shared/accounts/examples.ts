import type * as z from 'zod';
import type { AccountRecord } from './contract.ts';
import { company, exampleIds, exampleTimes } from '../contract/examples.ts';

export const exampleAccount = {
  id: exampleIds.accountId,
  status: 'ACTIVE',
  holderType: 'ORGANIZATION',
  fullName: company.fullName,
  email: 'financeiro@boavista.example.com',
  phone: '+551133334444',
  document: company.document,
  bankAccountData: {
    ispb: '12345678',
    branchNumber: '0001',
    accountNumber: '7654321',
    accountType: 'PAYMENT_ACCOUNT',
    createdAt: exampleTimes.opened,
  },
  createdAt: exampleTimes.opened,
} satisfies z.output<typeof AccountRecord>;

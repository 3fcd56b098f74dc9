import type * as z from 'zod';
import { brl, exampleIds } from '../contract/examples.ts';
import type { DefenceRecord, DisputeEntry, DisputeRecord } from './contract.ts';

const opened = '2026-01-17T14:20:00.000Z';
const defenceText = 'The customer used the service on January 16.';

export const openDisputeEntry = {
  id: exampleIds.disputeId,
  accountId: exampleIds.accountId,
  orderId: exampleIds.payInId,
  endToEndId: 'E60701190202601151205A1b2C3d4E5f',
  kind: 'FRAUD',
  status: 'OPEN',
  amount: brl('29.90'),
  blockedAmount: brl('29.90'),
  returnedAmount: brl('0.00'),
  dueAt: '2026-01-24T14:20:00.000Z',
  reason: 'The payer reports a scam.',
  statusHistory: [{ status: 'OPEN', createdAt: opened }],
  createdAt: opened,
  updatedAt: opened,
} satisfies z.output<typeof DisputeEntry>;

export const openDispute = { ...openDisputeEntry, defences: [] } satisfies z.output<typeof DisputeRecord>;

export const defence = {
  defenceId: 'c4b2a190-6d5e-4f3a-8b7c-9d0e1f2a3b00',
  disputeId: exampleIds.disputeId,
  text: defenceText,
  documents: ['https://partner.example.com/evidence/1.pdf'],
  createdAt: '2026-01-18T09:00:00.000Z',
} satisfies z.output<typeof DefenceRecord>;

import type * as z from 'zod';
import { amountView } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import type { DefenceRecord, DisputeEntry, DisputeRecord } from './contract.ts';
import type { Defence, Dispute, DisputeWithDefences } from './model.ts';

export function disputeEntryView(dispute: Dispute): z.output<typeof DisputeEntry> {
  const { amount, blockedAmount, returnedAmount, statusHistory } = dispute;
  return {
    ...pick(dispute, 'id', 'accountId', 'orderId', 'creditId', 'endToEndId', 'kind', 'status', 'dueAt', 'reason'),
    ...pick(dispute, 'details', 'createdAt', 'updatedAt'),
    amount: amountView(amount),
    blockedAmount: amountView(blockedAmount),
    returnedAmount: amountView(returnedAmount),
    statusHistory: statusHistory.map((entry) => pick(entry, 'status', 'createdAt')),
  };
}

export function disputeView({ dispute, defences }: DisputeWithDefences): z.output<typeof DisputeRecord> {
  return { ...disputeEntryView(dispute), defences: defences.map(defenceView) };
}

export function defenceView({ id: defenceId, ...defence }: Defence): z.output<typeof DefenceRecord> {
  const documents = [...defence.documents];
  return { defenceId, ...pick(defence, 'disputeId', 'text', 'createdAt'), documents };
}

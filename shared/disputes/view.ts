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

/** The first answer about a defence: a replay is the same, whatever became of it. */
export function createdDefenceView({
  status,
  errorMessage: _later,
  createdBy: _by,
  ...defence
}: Defence): z.output<typeof DefenceRecord> {
  return defenceView({ ...defence, ...(status !== undefined && { status: 'PENDING' as const }) });
}

function defenceView({ id: defenceId, ...defence }: Defence): z.output<typeof DefenceRecord> {
  const documents = [...defence.documents];
  return {
    defenceId,
    ...pick(defence, 'disputeId', 'text', 'createdAt', 'createdBy', 'status', 'errorMessage'),
    documents,
  };
}

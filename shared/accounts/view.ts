import type * as z from 'zod';
import type { AccountRecord, LedgerEntryRecord } from './contract.ts';
import type { Account } from '#shared/accounts/model.ts';
import type { LedgerEntry } from '#shared/platform/ledger/balance.ts';
import { ownOrderOf } from '#shared/platform/ledger/balance.ts';
import { typedDocument } from '../core/document.ts';
import { formatAmount } from '../core/money.ts';
import { pick } from '../core/pick.ts';

/** An account as the API writes it (2.9), without its company and its limits. */
export function accountView(account: Account): z.output<typeof AccountRecord> {
  const { id, status, holderType, fullName, email, phone, document, bankAccountData, createdAt } = account;
  return { id, status, holderType, fullName, email, phone, document, bankAccountData, createdAt };
}

/** An entry of a statement, its parts as signed decimals. */
export function ledgerEntryView(entry: LedgerEntry): z.output<typeof LedgerEntryRecord> {
  const { id, accountId, kind, available, reserved, blocked, counterparty, at } = entry;
  const orderId = ownOrderOf(entry);
  const references = {
    ...(orderId !== undefined && { orderId }),
    ...pick(entry, 'refundId', 'creditId', 'disputeId', 'endToEndId', 'controlNumber'),
    ...(counterparty && { counterparty: { ...counterparty, document: typedDocument(counterparty.document) } }),
  };
  const parts = {
    available: formatAmount(available),
    reserved: formatAmount(reserved),
    blocked: formatAmount(blocked),
  };
  return { id, accountId, type: kind, ...parts, ...references, createdAt: at };
}

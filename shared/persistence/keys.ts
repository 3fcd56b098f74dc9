import type { Key } from './store.ts';

/**
 * Every key template of the table. A key that holds a company's data, in an index too, begins with the company:
 * another company's id cannot be formed, so a foreign id is simply not found.
 */

const company = (companyId: string): string => `C#${companyId}`;

export type UniqueKind = 'SUBSCRIPTION' | 'PAY_IN' | 'PAYOUT' | 'SCHEDULED_PAYMENT';
/** Kinds of work that become due; each has one worker. */
export type DueKind = 'PAY_IN_EXPIRY' | 'DELIVERY' | 'HELD_RELEASE' | 'PAYOUT_SUBMISSION';
/** Kinds of lists, each in its own partition of the listing index. */
export type ListKind = 'ACCOUNT' | 'DELIVERY';

export const keys = {
  company: (companyId: string): Key => ({ PK: company(companyId), SK: 'COMPANY' }),
  webhookSettings: (companyId: string): Key => ({ PK: company(companyId), SK: 'WEBHOOK' }),
  /** A partition of its own, so that IAM can close it by leading key to all but the functions that sign. */
  webhookSecret: (companyId: string): Key => ({ PK: `${company(companyId)}#SECRET`, SK: 'WEBHOOK' }),
  heldRelease: (companyId: string, type: string): Key => ({ PK: company(companyId), SK: `RELEASE#${type}` }),
  subscription: (companyId: string, id: string): Key => ({ PK: `${company(companyId)}#SUB#${id}`, SK: 'SUB' }),
  cancellation: (companyId: string, subscriptionId: string, createdAt: string, id: string): Key => ({
    PK: `${company(companyId)}#SUB#${subscriptionId}`,
    SK: `CXL#${createdAt}#${id}`,
  }),
  order: (companyId: string, id: string): Key => ({ PK: `${company(companyId)}#ORDER#${id}`, SK: 'ORDER' }),
  payoutChild: (companyId: string, orderId: string, sequence: number): Key => ({
    PK: `${company(companyId)}#ORDER#${orderId}`,
    SK: `CHILD#${String(sequence).padStart(4, '0')}`,
  }),
  refund: (companyId: string, orderId: string, id: string): Key => ({
    PK: `${company(companyId)}#ORDER#${orderId}`,
    SK: `REFUND#${id}`,
  }),
  account: (companyId: string, id: string): Key => ({ PK: `${company(companyId)}#ACC#${id}`, SK: 'ACC' }),
  balance: (companyId: string, accountId: string): Key => ({
    PK: `${company(companyId)}#ACC#${accountId}`,
    SK: 'BALANCE',
  }),
  ledgerEntry: (companyId: string, accountId: string, at: string, id: string): Key => ({
    PK: `${company(companyId)}#ACC#${accountId}`,
    SK: `ENTRY#${at}#${id}`,
  }),
  delivery: (companyId: string, id: string): Key => ({ PK: `${company(companyId)}#DLV#${id}`, SK: 'DLV' }),
  deliveryBody: (companyId: string, id: string): Key => ({ PK: `${company(companyId)}#DLV#${id}`, SK: 'BODY' }),
  deliverySending: (companyId: string, id: string, sending: number): Key => ({
    PK: `${company(companyId)}#DLV#${id}`,
    SK: `SEND#${String(sending).padStart(4, '0')}`,
  }),
  unique: (companyId: string, kind: UniqueKind, externalId: string): Key => ({
    PK: `${company(companyId)}#UNIQ#${kind}#${externalId}`,
    SK: 'UNIQ',
  }),
  idempotency: (companyId: string, operation: string, key: string): Key => ({
    PK: `${company(companyId)}#IDEM#${operation}#${key}`,
    SK: 'IDEM',
  }),
  /** Found before the company is known: the one way from a token to a company. */
  apiClient: (clientId: string): Key => ({ PK: `CLIENT#${clientId}`, SK: 'CLIENT' }),
  /** The list that sweeps go through: ids only, no company data. */
  registry: (companyId: string): Key => ({ PK: REGISTRY, SK: companyId }),
} as const;

export const REGISTRY = 'REGISTRY';

/** What an IAM condition on `dynamodb:LeadingKeys` compares with: the partitions that hold secrets. */
export const SECRET_PARTITIONS = 'C#*#SECRET';

/** How the partition keys of everything that belongs to a company begin. */
export function companyPrefix(companyId: string): string {
  return company(companyId);
}

/** Sort-key prefixes of the items that share an aggregate's partition. */
export const prefixes = {
  cancellation: 'CXL#',
  payoutChild: 'CHILD#',
  refund: 'REFUND#',
  ledgerEntry: 'ENTRY#',
  deliverySending: 'SEND#',
} as const;

/** Index attributes of a list entry: newest and oldest by creation, the id making the order total. */
export function listed(
  companyId: string,
  kind: ListKind,
  createdAt: string,
  id: string,
): { GSI1PK: string; GSI1SK: string } {
  return { GSI1PK: listPartition(companyId, kind), GSI1SK: `${createdAt}#${id}` };
}

export function listPartition(companyId: string, kind: ListKind): string {
  return `${company(companyId)}#LIST#${kind}`;
}

/** Index attributes of work that becomes due; removed when the work is done, so the index holds only what waits. */
export function dueAt(companyId: string, kind: DueKind, at: string, id: string): { GSI2PK: string; GSI2SK: string } {
  return { GSI2PK: duePartition(companyId, kind), GSI2SK: `${at}#${id}` };
}

export function duePartition(companyId: string, kind: DueKind): string {
  return `${company(companyId)}#DUE#${kind}`;
}

/** Index attributes of a held delivery, oldest first by type. */
export function heldAs(
  companyId: string,
  type: string,
  createdAt: string,
  id: string,
): { GSI2PK: string; GSI2SK: string } {
  return { GSI2PK: heldPartition(companyId, type), GSI2SK: `${createdAt}#${id}` };
}

export function heldPartition(companyId: string, type: string): string {
  return `${company(companyId)}#HELD#${type}`;
}

/** Removes an item from the due index. */
export const NOT_DUE: readonly string[] = ['GSI2PK', 'GSI2SK'];

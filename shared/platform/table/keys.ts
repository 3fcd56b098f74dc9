import { dueInCompany } from '#company-due';
import type { BacklogName } from '../outbox/delivery.ts';
import type { CompanyTimeKind, DueKind } from '../jobs/due-kinds.ts';
import { isCompanyTimeKind, shardOf } from '../jobs/due-kinds.ts';
import type { IndexedList, Listed, UniqueKind } from './list-kinds.ts';
import type { Key, KeyedHash } from './store.ts';

/**
 * Every key template of the table. A key that holds a company's data, in an index too, begins with the company:
 * another company's id cannot be formed, so a foreign id is simply not found.
 */

const company = (companyId: string): string => `C#${companyId}`;
const ofValidation = (companyId: string, accountId: string, id: string, SK: string): Key => ({
  PK: `${company(companyId)}#ACC#${accountId}#VALIDATION#${id}`,
  SK,
});
const subscriptionPayments = (companyId: string, id: string): string => `${company(companyId)}#SUB#${id}#PAYMENTS`;
const payment = (companyId: string, id: string): string => `${company(companyId)}#PAYMENT#${id}`;

/** What a company may do only so often a minute. */
export type LimitedOperation = 'RESEND' | 'TEST';

/** What the stream's filters let through: INSERTs of items with this sort key, or one that begins so. */
export const relayed = { delivery: 'DLV', dispatch: 'DISPATCH#', keyCode: 'CODE#' } as const;

export const keys = {
  company: (companyId: string): Key => ({ PK: company(companyId), SK: 'COMPANY' }),
  /** Only while the company's time is simulated; never in production. */
  companyClock: (companyId: string): Key => ({ PK: company(companyId), SK: 'CLOCK' }),
  /** A turn of it that an idempotency key remembers. */
  clockAdvance: (companyId: string, id: string): Key => ({ PK: `${company(companyId)}#ADVANCE#${id}`, SK: 'ADVANCE' }),
  webhookSettings: (companyId: string): Key => ({ PK: company(companyId), SK: 'WEBHOOK' }),
  /** A partition of its own, so that IAM can close it by leading key to all but the functions that sign. */
  webhookSecret: (companyId: string): Key => ({ PK: `${company(companyId)}#SECRET`, SK: 'WEBHOOK' }),
  backlog: (companyId: string, name: BacklogName): Key => ({ PK: company(companyId), SK: `BACKLOG#${name}` }),
  callLimit: (companyId: string, operation: LimitedOperation): Key => ({
    PK: company(companyId),
    SK: `LIMIT#${operation}`,
  }),
  /** A partition of its own, so that IAM can open it to functions that otherwise only read; never in production. */
  slowCalls: (companyId: string): Key => ({ PK: `${company(companyId)}#SLOW_CALLS`, SK: 'SLOW_CALLS' }),
  subscription: (companyId: string, id: string): Key => ({ PK: `${company(companyId)}#SUB#${id}`, SK: 'SUB' }),
  cancellation: (companyId: string, subscriptionId: string, sequence: number): Key => ({
    PK: `${company(companyId)}#SUB#${subscriptionId}`,
    SK: `CXL#${String(sequence).padStart(4, '0')}`,
  }),
  /** What lists a subscription's payments, in a partition beside it: a read of the subscription reads none of them. */
  paymentEntry: (companyId: string, subscriptionId: string, dueDate: string, id: string): Key => ({
    PK: subscriptionPayments(companyId, subscriptionId),
    SK: `${prefixes.paymentEntry}${dueDate}#${id}`,
  }),
  paymentCycle: (companyId: string, subscriptionId: string, start: string): Key => ({
    PK: subscriptionPayments(companyId, subscriptionId),
    SK: `CYCLE#${start}`,
  }),
  paymentSweep: (companyId: string, subscriptionId: string): Key => ({
    PK: subscriptionPayments(companyId, subscriptionId),
    SK: 'SWEEP',
  }),
  scheduledPayment: (companyId: string, id: string): Key => ({ PK: payment(companyId, id), SK: 'PAYMENT' }),
  chargeTerms: (companyId: string, id: string): Key => ({ PK: payment(companyId, id), SK: 'TERMS' }),
  chargeCancellation: (companyId: string, paymentId: string, id: string): Key => ({
    PK: payment(companyId, paymentId),
    SK: `CXL#${id}`,
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
  /** Lists a company's accounts, and holds what they are searched by. */
  accountEntry: (companyId: string, createdAt: string, id: string): Key => ({
    PK: `${company(companyId)}#ACCOUNTS`,
    SK: `${createdAt}#${id}`,
  }),
  balance: (companyId: string, accountId: string): Key => ({
    PK: `${company(companyId)}#ACC#${accountId}`,
    SK: 'BALANCE',
  }),
  ledgerEntry: (companyId: string, accountId: string, at: string, id: string): Key => ({
    PK: `${company(companyId)}#ACC#${accountId}`,
    SK: `ENTRY#${at}#${id}`,
  }),
  delivery: (companyId: string, id: string): Key => ({
    PK: `${company(companyId)}#DLV#${id}`,
    SK: relayed.delivery,
  }),
  deliveryBody: (companyId: string, id: string): Key => ({ PK: `${company(companyId)}#DLV#${id}`, SK: 'BODY' }),
  /** Says all that the relay must know: the stream carries keys and nothing else. */
  deliveryDispatch: (companyId: string, id: string, dispatch: number, notBefore: string): Key => ({
    PK: `${company(companyId)}#DLV#${id}`,
    SK: `${relayed.dispatch}${String(dispatch).padStart(4, '0')}#${notBefore}`,
  }),
  deliveryResend: (companyId: string, id: string): Key => ({ PK: `${company(companyId)}#RESEND#${id}`, SK: 'RESEND' }),
  /** What the simulated bank was asked before, where a reserved value makes it answer the second time only. */
  simulatedTimeout: (companyId: string, reference: string): Key => ({
    PK: `${company(companyId)}#SIM#${reference}`,
    SK: 'SIM',
  }),
  unique: (companyId: string, kind: UniqueKind, externalId: string): Key => ({
    PK: `${company(companyId)}#UNIQ#${kind}#${externalId}`,
    SK: 'UNIQ',
  }),
  idempotency: (companyId: string, operation: string, key: string): Key => ({
    PK: `${company(companyId)}#IDEM#${operation}#${key}`,
    SK: 'IDEM',
  }),
  /** By what an account is found; of accounts that share it, the one that was opened first comes first. */
  accountKey: (companyId: string, known: KeyedHash, createdAt: string, accountId: string): Key => ({
    PK: accountKeyPartition(companyId, known),
    SK: `${prefixes.accountHolder}${createdAt}#${accountId}`,
  }),
  /** The account that has confirmed a PIX key, before all that share it unconfirmed: `C` sorts before `H`. */
  confirmedKey: (companyId: string, key: KeyedHash): Key => ({
    PK: accountKeyPartition(companyId, key),
    SK: 'CONFIRMED',
  }),
  /** A PIX key that has an account. It names neither company nor account: no two of any company may share one. */
  pixKey: (key: KeyedHash): Key => ({ PK: `PIX_KEY#${key}`, SK: 'PIX_KEY' }),
  keyValidation: (companyId: string, accountId: string, id: string): Key =>
    ofValidation(companyId, accountId, id, 'VALIDATION'),
  /** Says all that the sender must know: the stream carries keys and nothing else. */
  keyCode: (companyId: string, accountId: string, validationId: string, number: number): Key =>
    ofValidation(companyId, accountId, validationId, `${relayed.keyCode}${String(number).padStart(4, '0')}`),
  /** The last message that was sent for a validation; never in production. */
  sentCode: (companyId: string, accountId: string, validationId: string): Key =>
    ofValidation(companyId, accountId, validationId, 'SENT'),
  /** What lists the validations of an account, in a partition beside it, by creation. */
  keyEntry: (companyId: string, accountId: string, createdAt: string, id: string): Key => ({
    PK: `${company(companyId)}#ACC#${accountId}#KEYS`,
    SK: `${createdAt}#${id}`,
  }),
  keyQuota: (companyId: string, accountId: string): Key => ({
    PK: `${company(companyId)}#ACC#${accountId}`,
    SK: 'KEY_QUOTA',
  }),
  /** The codes of a day for one address, of all companies. */
  addressQuota: (address: KeyedHash, day: string): Key => ({ PK: `ADDRESS#${address}`, SK: `DAY#${day}` }),
  /** A partition of its own, so that IAM can close it to all but the functions that look for what it hides. */
  hashSecret: (): Key => ({ PK: 'HASH_SECRET', SK: 'HASH_SECRET' }),
  /** A partition of its own, so that IAM can close it to all but the functions that make and check codes. */
  codeSecret: (companyId: string): Key => ({ PK: `${company(companyId)}#CODE_SECRET`, SK: 'CODE_SECRET' }),
  /** The number of a TED. It is the service's and names no company: no two TEDs of any company may share one. */
  controlNumber: (number: string): Key => ({ PK: `CONTROL_NUMBER#${number}`, SK: 'CONTROL_NUMBER' }),
  /** Found before the company is known: the one way from a token to a company. */
  apiClient: (clientId: string): Key => ({ PK: `CLIENT#${clientId}`, SK: 'CLIENT' }),
  /** The signing keys that an issuer published, by the address of its key set: public, they decide who is let in. */
  issuerKeys: (jwksUri: string): Key => ({ PK: issuer, SK: jwksUri }),
  /** The list that sweeps go through: ids only, no company data. */
  registry: (companyId: string): Key => ({ PK: registry, SK: companyId }),
} as const;

export const registry = 'REGISTRY';

/** A partition of its own, so that IAM can close it by leading key to all but the authorizer. */
export const issuer = 'ISSUER';

/** How the partition keys of everything that belongs to a company begin. */
export function companyPrefix(companyId: string): string {
  return company(companyId);
}

/** Sort-key prefixes of the items that share an aggregate's partition. */
export const prefixes = {
  backlog: 'BACKLOG#',
  cancellation: 'CXL#',
  paymentEntry: 'PAY#',
  payoutChild: 'CHILD#',
  refund: 'REFUND#',
  ledgerEntry: 'ENTRY#',
  accountHolder: 'HOLDER#',
} as const;

/**
 * Index attributes of a list entry: newest and oldest by creation, the id making the order total.
 * @param more what the entries are filtered by
 */
export function listAttributes(
  companyId: string,
  kind: IndexedList,
  createdAt: string,
  id: string,
  ...more: readonly string[]
): { GSI1PK: string; GSI1SK: string } {
  return { GSI1PK: listPartition(companyId, kind), GSI1SK: [createdAt, id, ...more].join('#') };
}

/** The accounts that share what they are found by. */
export function accountKeyPartition(companyId: string, known: KeyedHash): string {
  return `${company(companyId)}#KEY#${known}`;
}

export function listPartition(companyId: string, kind: IndexedList): string {
  return `${company(companyId)}#LIST#${kind}`;
}

/** Index attributes of a delivery's bytes, for good: in the company's list and in its resource's, with the event. */
export function deliveryListAttributes(
  companyId: string,
  resourceId: string,
  createdAt: string,
  id: string,
  event: string,
): Record<DueAttribute, string> {
  return {
    GSI2PK: listPartition(companyId, 'DELIVERY'),
    GSI2SK: `${createdAt}#${id}#${event}`,
    GSI3PK: resourcePartition(companyId, resourceId),
  };
}

/**
 * Index attributes of a resource in a list of its kind. That of a status holds the resource itself, once nothing is due
 * for it. That of all holds the item of its external id, from which the entry's key follows; the account filters keys.
 */
export function resourceListAttributes(
  companyId: string,
  list: IndexedList,
  { id, createdAt, accountId }: Listed,
  externalId?: string,
): { GSI2PK: string; GSI2SK: string } {
  const tail = externalId === undefined ? '' : `#${externalId}`;
  return { GSI2PK: listPartition(companyId, list), GSI2SK: `${createdAt}#${id}#${accountId}${tail}` };
}

/** Index attribute of a pay-in beside those of its status: its end-to-end id is chosen by the bank of who pays it. */
export function endToEndAttributes(companyId: string, endToEndId: string): { GSI3PK: string } {
  return { GSI3PK: `${company(companyId)}#END_TO_END#${endToEndId}` };
}

export function resourcePartition(companyId: string, resourceId: string): string {
  return `${company(companyId)}#RESOURCE#${resourceId}`;
}

/**
 * Partitions of a kind's due work of all companies: a partition of an index takes 1 000 writes a second. The number may
 * grow at any time, because all are read whatever a company's shard is; shrinking it would hide what waits in the last
 * ones.
 */
export const dueShards = 8;

/**
 * Index attributes of work that becomes due: `GSI3` across companies, and where clocks are simulated in its company
 * (`GSI2`) what follows the company's. Removed together when the work is done (`notDue`): both hold only what waits.
 *
 * @param id may contain `#`
 */
export function dueAttributesAt(companyId: string, kind: DueKind, at: string, id: string): DueAttributes {
  return {
    ...(isCompanyTimeKind(kind) && dueInCompany({ GSI2PK: duePartition(companyId, kind) })),
    GSI2SK: `${at}#${id}`,
    GSI3PK: dueShardPartition(kind, shardOf(companyId, dueShards)),
  };
}

const dueAttributes = ['GSI2PK', 'GSI2SK', 'GSI3PK'] as const;
type DueAttribute = (typeof dueAttributes)[number];
type DueAttributes = Record<Exclude<DueAttribute, 'GSI2PK'>, string> & { readonly GSI2PK?: string };

/** Removes an item from the due indexes. */
export const notDue: readonly string[] = dueAttributes;

export function duePartition(companyId: string, kind: CompanyTimeKind): string {
  return `${company(companyId)}#DUE#${kind}`;
}

/** Beside `REGISTRY` the one partition that belongs to no company: it holds ids and times, no company's data. */
export function dueShardPartition(kind: DueKind, shard: number): string {
  return `DUE#${kind}#${shard}`;
}

/** The short list of companies whose time is simulated: ids alone, no company's data. */
export const clocks = 'CLOCKS';

/** Index attributes by which a company's clock stands in that list. */
export function clockListAttributes(companyId: string): { GSI3PK: string; GSI2SK: string } {
  return { GSI3PK: clocks, GSI2SK: companyId };
}

/** Index attributes of a delivery that waits in a backlog, in the order in which they were made. */
export function waitAttributes(
  companyId: string,
  backlog: BacklogName,
  createdAt: string,
  id: string,
): { GSI2PK: string; GSI2SK: string } {
  return { GSI2PK: backlogPartition(companyId, backlog), GSI2SK: `${createdAt}#${id}` };
}

export function backlogPartition(companyId: string, backlog: BacklogName): string {
  return `${company(companyId)}#BACKLOG#${backlog}`;
}

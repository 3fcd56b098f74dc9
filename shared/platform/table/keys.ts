import type { BacklogName, DeliveryStatus } from '../outbox/delivery.ts';
import type { IndexedList, Listed, UniqueKind } from './list-kinds.ts';
import type { Key, KeyedHash } from './store.ts';

/**
 * Every key template. Keys of a company's data, in an index too, begin with the company: no other company's id finds
 * them.
 */

const keyAt = (PK: string, SK: string): Key => ({ PK, SK });
const company = (companyId: string): string => `C#${companyId}`;
const account = (companyId: string, id: string): string => `${company(companyId)}#ACC#${id}`;
const balanceShard = (companyId: string, id: string, shard: number): string =>
  shard === 0 ? account(companyId, id) : `${account(companyId, id)}#SHARD#${shard}`;
const banks = (companyId: string): string => `${company(companyId)}#BANK`;
const validation = (companyId: string, accountId: string, id: string): string =>
  `${account(companyId, accountId)}#VALIDATION#${id}`;
const subscription = (companyId: string, id: string): string => `${company(companyId)}#SUB#${id}`;
const subscriptionPayments = (companyId: string, id: string): string => `${subscription(companyId, id)}#PAYMENTS`;
const payment = (companyId: string, id: string): string => `${company(companyId)}#PAYMENT#${id}`;
const order = (companyId: string, id: string): string => `${company(companyId)}#ORDER#${id}`;
const credit = (companyId: string, id: string): string => `${company(companyId)}#CREDIT#${id}`;
const dispute = (companyId: string, id: string): string => `${company(companyId)}#DISPUTE#${id}`;
const delivery = (companyId: string, id: string): string => `${company(companyId)}#DLV#${id}`;
/** Four digits: sort keys are compared as text. */
const place = (number: number): string => String(number).padStart(4, '0');

/** Operations with a limit of calls a minute. */
export type LimitedOperation = 'RESEND' | 'TEST' | 'CALLBACK';

/** Sort keys, or their beginnings, of the INSERTs that the stream's filters let through. */
export const relayed = {
  delivery: 'DLV',
  dispatch: 'DISPATCH#',
  drain: 'DRAIN#',
  keyCode: 'CODE#',
  ledgerEntry: 'ENTRY#',
} as const;

export const keys = {
  company: (companyId: string) => keyAt(company(companyId), 'COMPANY'),
  /** How a bank of the company is reached; none with the simulated one. */
  bankConnection: (companyId: string, id: string) => keyAt(banks(companyId), `${prefixes.bankConnection}${id}`),
  /** Outcomes of the calls of a connection. */
  bankCalls: (companyId: string, connection: string) => keyAt(`${banks(companyId)}#${connection}`, 'BANK_CALLS'),
  /** When payments to the bare keys of a connection are looked for next. */
  receivedPoll: (companyId: string, connection: string) => keyAt(`${banks(companyId)}#${connection}`, 'RECEIVED_POLL'),
  /** The connection that serves an account now. */
  bankAccount: (companyId: string, accountId: string) => keyAt(banks(companyId), `${prefixes.bankAccount}${accountId}`),
  /** Raised by each command of an operator that changes connections: of two concurrent commands one fails. */
  bankVersion: (companyId: string) => keyAt(banks(companyId), 'VERSION'),
  /** Claims a PIX key, a client or an account at a bank for one company of the whole service. */
  bankClaim: (claim: KeyedHash) => keyAt(`BANK_CLAIM#${claim}`, 'BANK_CLAIM'),
  /** Claims a Pix that a connected bank received, by its end-to-end id, for one company of the whole service. */
  claimedPix: (endToEndId: string) => keyAt(`BANK_PIX#${endToEndId}`, 'BANK_PIX'),
  /** Leads from the address of a bank's callback to the company; nothing else does. */
  bankCallback: (tokenHash: string) => keyAt(`BANK_CALLBACK#${tokenHash}`, 'BANK_CALLBACK'),
  /** Only while the company's time is simulated; never in production. */
  companyClock: (companyId: string) => keyAt(company(companyId), 'CLOCK'),
  /** How narrow the simulated bank is for the company; never in production. */
  bankProfile: (companyId: string) => keyAt(company(companyId), 'BANK_PROFILE'),
  /** An advance of the company's clock, for a replay by its idempotency key. */
  clockAdvance: (companyId: string, id: string) => keyAt(`${company(companyId)}#ADVANCE#${id}`, 'ADVANCE'),
  webhookSettings: (companyId: string) => keyAt(company(companyId), 'WEBHOOK'),
  /** A partition of its own, so that IAM can close it by leading key to all but the functions that sign. */
  webhookSecret: (companyId: string) => keyAt(`${company(companyId)}#SECRET`, 'WEBHOOK'),
  /** The circuits of a company's endpoints, and which of its backlogs are drained. */
  webhookHealth: (companyId: string) => keyAt(company(companyId), 'HEALTH'),
  /** Failed calls in a row to an address or an origin, by the name of its circuit. */
  endpointFailures: (companyId: string, circuit: string) => keyAt(company(companyId), `FAILURES#${circuit}`),
  /** The places that notifiers have left for a burst; a partition of its own, because each of its calls writes it. */
  deliveryPlaces: (companyId: string) => keyAt(`${company(companyId)}#PLACES`, 'PLACES'),
  /** Requests a drain of the company's backlogs. Like that of a dispatch, the key has all that the relay needs. */
  drain: (companyId: string, number: number, notBefore: string) =>
    keyAt(`${company(companyId)}#DRAIN`, `${relayed.drain}${place(number)}#${notBefore}`),
  /** Payouts that an account with a limit may still create in this minute. */
  payoutLimit: (companyId: string, accountId: string) => keyAt(account(companyId, accountId), 'PAYOUT_LIMIT'),
  /** The latest of an account's payouts with the same receiver and amount, by their hash. */
  equalPayout: (companyId: string, accountId: string, hash: KeyedHash) =>
    keyAt(`${account(companyId, accountId)}#EQUAL#${hash}`, 'EQUAL'),
  /** Calls left in this minute. Parts beside the first are partitions of their own. */
  callLimit: (companyId: string, operation: LimitedOperation, part = 0) =>
    keyAt(part === 0 ? company(companyId) : `${company(companyId)}#LIMIT#${part}`, `LIMIT#${operation}`),
  /** A partition of its own, so that IAM can open it to functions that otherwise only read; never in production. */
  slowCalls: (companyId: string) => keyAt(`${company(companyId)}#SLOW_CALLS`, 'SLOW_CALLS'),
  subscription: (companyId: string, id: string) => keyAt(subscription(companyId, id), 'SUB'),
  /** Sorted before the cancellations, the latest of which are read with the subscription. */
  authorizationPoll: (companyId: string, subscriptionId: string) =>
    keyAt(subscription(companyId, subscriptionId), 'AUTHORIZATION_POLL'),
  cancellation: (companyId: string, subscriptionId: string, sequence: number) =>
    keyAt(subscription(companyId, subscriptionId), `CXL#${place(sequence)}`),
  /** Lists a subscription's payments, in a partition beside it: a read of the subscription reads none of them. */
  paymentEntry: (companyId: string, subscriptionId: string, dueDate: string, id: string) =>
    keyAt(subscriptionPayments(companyId, subscriptionId), `${prefixes.paymentEntry}${dueDate}#${id}`),
  paymentCycle: (companyId: string, subscriptionId: string, start: string) =>
    keyAt(subscriptionPayments(companyId, subscriptionId), `CYCLE#${start}`),
  paymentSweep: (companyId: string, id: string) => keyAt(subscriptionPayments(companyId, id), 'SWEEP'),
  recurrenceExpiry: (companyId: string, id: string) => keyAt(subscriptionPayments(companyId, id), 'END'),
  recurrenceWithdrawal: (companyId: string, id: string) => keyAt(subscriptionPayments(companyId, id), 'WITHDRAWAL'),
  scheduledPayment: (companyId: string, id: string) => keyAt(payment(companyId, id), 'PAYMENT'),
  chargeTerms: (companyId: string, id: string) => keyAt(payment(companyId, id), 'TERMS'),
  chargeCancellation: (companyId: string, paymentId: string, id: string) =>
    keyAt(payment(companyId, paymentId), `CXL#${id}`),
  order: (companyId: string, id: string) => keyAt(order(companyId, id), 'ORDER'),
  payoutChild: (companyId: string, orderId: string, sequence: number) =>
    keyAt(order(companyId, orderId), `CHILD#${place(sequence)}`),
  /** Allows to submit a command once more, by its reference at the bank. */
  repetition: (companyId: string, reference: string) => keyAt(`${company(companyId)}#REPEAT#${reference}`, 'REPEAT'),
  /** Money that no open charge expected, with its returns. */
  credit: (companyId: string, id: string) => keyAt(credit(companyId, id), 'CREDIT'),
  creditReturn: (companyId: string, creditId: string, id: string) =>
    keyAt(credit(companyId, creditId), `${prefixes.creditReturn}${id}`),
  /** Leads from a return to its credit. */
  creditOfReturn: (companyId: string, id: string) => keyAt(`${company(companyId)}#RETURN#${id}`, 'RETURN'),
  /** A payer's claim to a received payment, with its defences. */
  dispute: (companyId: string, id: string) => keyAt(dispute(companyId, id), 'DISPUTE'),
  defence: (companyId: string, disputeId: string, id: string) =>
    keyAt(dispute(companyId, disputeId), `${prefixes.defence}${id}`),
  /** When the partner is reminded of an answer that is due. */
  disputeReminder: (companyId: string, id: string) => keyAt(dispute(companyId, id), 'REMINDER'),
  /** Lists an account's disputes for which less is blocked than is claimed, oldest first. */
  shortDispute: (companyId: string, accountId: string, createdAt: string, id: string) =>
    keyAt(`${account(companyId, accountId)}#BLOCKS`, `${prefixes.shortDispute}${createdAt}#${id}`),
  /** The job that blocks more as money comes in. */
  accountBlocks: (companyId: string, accountId: string) => keyAt(`${account(companyId, accountId)}#BLOCKS`, 'JOB'),
  /** A claim of a bank's list, by the bank's id, with the status that was applied last. */
  payerClaim: (companyId: string, connectionId: string, claimId: string) =>
    keyAt(`${company(companyId)}#CLAIM#${connectionId}#${claimId}`, 'CLAIM'),
  /** Leads from a return of the banks (MED) to the dispute that booked it. */
  disputeReturn: (companyId: string, returnId: string) => keyAt(`${company(companyId)}#MED#${returnId}`, 'RETURN'),
  /** Received money, by its end-to-end id or return id. */
  receivedPix: (companyId: string, endToEndId: string) => keyAt(`${company(companyId)}#PIX#${endToEndId}`, 'PIX'),
  /** Leads from a recurrence to its subscription, for a bank that reports recurrences by `idRec`. */
  recurrence: (companyId: string, idRec: string) => keyAt(`${company(companyId)}#REC#${idRec}`, 'REC'),
  /** Unsolicited returns of a bank (MED), and money whose account is not known, in partitions that list them. */
  unsolicitedReturn: (companyId: string, returnId: string) => keyAt(`${company(companyId)}#FOREIGN_RETURNS`, returnId),
  unplacedCredit: (companyId: string, endToEndId: string) => keyAt(`${company(companyId)}#UNPLACED`, endToEndId),
  /** The bank's fee for a received or sent payment: a payment within the company is both. */
  bankFee: (companyId: string, endToEndId: string, direction: 'RECEIVED' | 'SENT') =>
    keyAt(`${company(companyId)}#PIX#${endToEndId}`, `FEE#${direction}`),
  refund: (companyId: string, orderId: string, id: string) => keyAt(order(companyId, orderId), `REFUND#${id}`),
  /** Leads from a refund to its pay-in. */
  refundOrder: (companyId: string, id: string) => keyAt(`${company(companyId)}#REFUND#${id}`, 'REFUND'),
  account: (companyId: string, id: string) => keyAt(account(companyId, id), 'ACC'),
  /** Lists a company's accounts, with the text that a search looks at. */
  accountEntry: (companyId: string, createdAt: string, id: string) =>
    keyAt(`${company(companyId)}#ACCOUNTS`, `${createdAt}#${id}`),
  /** Shards have partitions of their own; the first has that of the account. */
  balance: (companyId: string, accountId: string, shard = 0) =>
    keyAt(balanceShard(companyId, accountId, shard), 'BALANCE'),
  ledgerEntry: (companyId: string, accountId: string, at: string, id: string, shard = 0) =>
    keyAt(balanceShard(companyId, accountId, shard), `${prefixes.ledgerEntry}${at}#${id}`),
  /** Where the chain of an account's statement ends. The chain has a partition of its own. */
  chainHead: (companyId: string, accountId: string) => keyAt(`${account(companyId, accountId)}#CHAIN`, 'HEAD'),
  /** Hashes of entries that follow each other, by the first one; then where the chain ended in a minute's tree. */
  chainSegment: (companyId: string, accountId: string, at: string, id: string) =>
    keyAt(`${account(companyId, accountId)}#CHAIN`, `${prefixes.chainSegment}${at}#${id}`),
  chainInclusion: (companyId: string, accountId: string, minute: string, root: string) =>
    keyAt(`${account(companyId, accountId)}#CHAIN`, `${prefixes.chainInclusion}${minute}#${root}`),
  /** The signed root of a minute, of all accounts of the environment: it says nothing of one. */
  statementRoot: (minute: string) => keyAt('STATEMENT_ROOTS', `${minute}#ROOT`),
  /** An account with new entries in a minute. Only ids: the table key begins with no company. */
  chainNote: (minute: string, shard: number, companyId: string, accountId: string, late: string) =>
    keyAt(`CHAIN_NOTES#${minute}#${shard}`, [companyId, accountId, late].join('#')),
  /** How far the minutes of all statements are closed. */
  chainProgress: () => keyAt('CHAIN_PROGRESS', 'CHAIN_PROGRESS'),
  delivery: (companyId: string, id: string) => keyAt(delivery(companyId, id), relayed.delivery),
  deliveryBody: (companyId: string, id: string) => keyAt(delivery(companyId, id), 'BODY'),
  /** Key with all that the relay needs: the stream carries only keys. */
  deliveryDispatch: (companyId: string, id: string, dispatch: number, notBefore: string) =>
    keyAt(delivery(companyId, id), `${relayed.dispatch}${place(dispatch)}#${notBefore}`),
  deliveryResend: (companyId: string, id: string) => keyAt(`${company(companyId)}#RESEND#${id}`, 'RESEND'),
  /** Commands that timed out at the simulated bank. */
  simulatedTimeout: (companyId: string, reference: string) => keyAt(`${company(companyId)}#SIM#${reference}`, 'SIM'),
  /** The location of a recurrence that was created for a request, at the bank behind a connection. */
  recurrenceLocation: (companyId: string, connection: string, reference: string) =>
    keyAt(`${banks(companyId)}#${connection}#REC#${reference}`, 'LOCATION'),
  /** Lists the locations of a connection until a subscription has the recurrence. */
  unsettledLocation: (companyId: string, connection: string, createdAt: string, id: number) =>
    keyAt(`${banks(companyId)}#${connection}#LOCATIONS`, `${createdAt}#${id}`),
  unique: (companyId: string, kind: UniqueKind, externalId: string) =>
    keyAt(`${company(companyId)}#UNIQ#${kind}#${externalId}`, 'UNIQ'),
  idempotency: (companyId: string, operation: string, key: string) =>
    keyAt(`${company(companyId)}#IDEM#${operation}#${key}`, 'IDEM'),
  /** Looks up accounts by a value; of several accounts the first opened comes first. */
  accountKey: (companyId: string, known: KeyedHash, createdAt: string, accountId: string) =>
    keyAt(accountKeyPartition(companyId, known), `${prefixes.accountHolder}${createdAt}#${accountId}`),
  /** The account that confirmed a PIX key. It sorts before those that have it unconfirmed: `C` before `H`. */
  confirmedKey: (companyId: string, key: KeyedHash) => keyAt(accountKeyPartition(companyId, key), 'CONFIRMED'),
  /** A confirmed PIX key, unique in the whole service: the table key names no company. */
  pixKey: (key: KeyedHash) => keyAt(`PIX_KEY#${key}`, 'PIX_KEY'),
  keyValidation: (companyId: string, accountId: string, id: string) =>
    keyAt(validation(companyId, accountId, id), 'VALIDATION'),
  /** Key with all that the sender needs: the stream carries only keys. */
  keyCode: (companyId: string, accountId: string, validationId: string, number: number) =>
    keyAt(validation(companyId, accountId, validationId), `${relayed.keyCode}${place(number)}`),
  /** The last code that was sent; never in production. */
  sentCode: (companyId: string, accountId: string, validationId: string) =>
    keyAt(validation(companyId, accountId, validationId), 'SENT'),
  /** Lists the validations of an account by creation, in a partition beside it. */
  keyEntry: (companyId: string, accountId: string, createdAt: string, id: string) =>
    keyAt(`${account(companyId, accountId)}#KEYS`, `${createdAt}#${id}`),
  keyQuota: (companyId: string, accountId: string) => keyAt(account(companyId, accountId), 'KEY_QUOTA'),
  /** The codes of a day for one address, over all companies. */
  addressQuota: (address: KeyedHash, day: string) => keyAt(`ADDRESS#${address}`, `DAY#${day}`),
  /** Partitions of their own: IAM closes them to all functions but those that hash, or make and check codes. */
  hashSecret: () => keyAt('HASH_SECRET', 'HASH_SECRET'),
  codeSecret: (companyId: string) => keyAt(`${company(companyId)}#CODE_SECRET`, 'CODE_SECRET'),
  /** The control number of a TED, unique in the whole service: the table key names no company. */
  controlNumber: (number: string) => keyAt(`CONTROL_NUMBER#${number}`, 'CONTROL_NUMBER'),
  /** Leads from the client of a token to its company; nothing else does. */
  apiClient: (clientId: string) => keyAt(`CLIENT#${clientId}`, 'CLIENT'),
  /** An issuer's signing keys, by the address of its key set. */
  issuerKeys: (jwksUri: string) => keyAt(issuer, jwksUri),
  /** Commands of operators, by month. */
  operatorCommand: (month: string, at: string, id: string) => keyAt(`OPERATOR_COMMANDS#${month}`, `${at}#${id}`),
  migration: (name: string) => keyAt(`MIGRATION#${name}`, 'MIGRATION'),
  bankReading: (companyId: string, extent: string) => keyAt(company(companyId), `BANK_READING#${extent}`),
  /** Slices of a reading that are not read yet. */
  bankListSlice: (companyId: string, id: string) => keyAt(`${company(companyId)}#SLICES`, id),
  /** The list of all companies: only ids. */
  registry: (companyId: string) => keyAt(registry, companyId),
} as const;

export const registry = 'REGISTRY';

/** A partition of its own, so that IAM can close it by leading key to all but the authorizer. */
export const issuer = 'ISSUER';

/** The beginning of every partition key of a company. */
export function companyPrefix(companyId: string): string {
  return company(companyId);
}

/** Sort-key prefixes of the items that share an aggregate's partition. */
export const prefixes = {
  bankConnection: 'CONNECTION#',
  bankAccount: 'ACCOUNT#',
  cancellation: 'CXL#',
  paymentEntry: 'PAY#',
  payoutChild: 'CHILD#',
  refund: 'REFUND#',
  creditReturn: 'RETURN#',
  defence: 'DEFENCE#',
  shortDispute: 'SHORT#',
  ledgerEntry: relayed.ledgerEntry,
  chainSegment: 'SEGMENT#',
  chainInclusion: 'INCLUSION#',
  accountHolder: 'HOLDER#',
} as const;

/**
 * Index attributes of a list entry, by creation and then id.
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

/** Accounts that share a lookup value. */
export function accountKeyPartition(companyId: string, known: KeyedHash): string {
  return `${company(companyId)}#KEY#${known}`;
}

export function listPartition(companyId: string, kind: IndexedList): string {
  return `${company(companyId)}#LIST#${kind}`;
}

/** Index attributes of a delivery's body: in the company's list and in its resource's, with the event. */
export function deliveryListAttributes(
  companyId: string,
  resourceId: string,
  createdAt: string,
  id: string,
  event: string,
): { GSI2PK: string; GSI2SK: string; GSI3PK: string } {
  return {
    GSI2PK: listPartition(companyId, 'DELIVERY'),
    GSI2SK: `${createdAt}#${id}#${event}`,
    GSI3PK: resourcePartition(companyId, resourceId),
  };
}

/** Index attributes of a failed or held delivery, until the partner takes its notification. */
export function openDeliveryAttributes(
  companyId: string,
  status: DeliveryStatus,
  createdAt: string,
  id: string,
): { GSI2SK: string; GSI3PK: string } {
  return { GSI3PK: openDeliveriesPartition(companyId, status), GSI2SK: `${createdAt}#${id}` };
}

export function openDeliveriesPartition(companyId: string, status: DeliveryStatus): string {
  return `${company(companyId)}#OPEN#${status}`;
}

/**
 * Index attributes of a resource in a list of its kind. The list of a status holds the resource itself, once it is no
 * longer due. The list of all holds the item of its external id, from which the resource's key follows. The keys hold
 * the account, so that a list can be filtered by it.
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

/**
 * Index attribute of the item that an end-to-end id finds: a pay-in, the external id of a payout, or a payment in a
 * batch.
 */
export function endToEndAttributes(companyId: string, endToEndId: string): { GSI3PK: string } {
  return { GSI3PK: `${company(companyId)}#END_TO_END#${endToEndId}` };
}

export function resourcePartition(companyId: string, resourceId: string): string {
  return `${company(companyId)}#RESOURCE#${resourceId}`;
}

/** Lists the companies with a simulated clock: only ids. */
export const clocks = 'CLOCKS';

export function clockListAttributes(companyId: string): { GSI3PK: string; GSI2SK: string } {
  return { GSI3PK: clocks, GSI2SK: companyId };
}

/** Index attributes of a delivery that waits in a backlog, by its creation. */
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

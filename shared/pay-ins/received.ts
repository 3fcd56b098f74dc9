import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import { askAgainAt } from '../core/resubmission.ts';
import type { Centavos } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import type { PayIn } from './model.ts';
import { isDueBy } from '../platform/jobs/due.ts';
import { StoredCentavos } from '../platform/ledger/ledger.ts';
import { dueAttributesAt, keys, unmatchedAttributes } from '../platform/table/keys.ts';
import type { ItemMembers } from '../platform/table/parse.ts';
import { parserOf } from '../platform/table/parse.ts';
import type { Item, Key, Put, Store } from '../platform/table/store.ts';

/**
 * Money received on an account of the company, by its end-to-end id; for a payment that came back, by its return id.
 * The transaction that credits the money writes this item, so it is credited once.
 */
export type ReceivedPix = {
  readonly endToEndId: string;
  readonly accountId: string;
  readonly amount: Centavos;
  readonly at: Instant;
  /** The order to which the money belongs. */
  readonly orderId?: string;
  /** State of money that no charge expected, until an operator has returned it. */
  readonly state?: 'UNMATCHED' | 'RETURNING' | 'RETURNED';
  /** The refund that returns the money. */
  readonly refundId?: string;
  /** The connection to the bank that received it; absent for the simulated bank. */
  readonly connection?: string;
  readonly version: number;
};

const ReceivedItem = z.object({
  entity: z.literal('RECEIVED_PIX'),
  endToEndId: z.string(),
  accountId: z.string(),
  amount: StoredCentavos,
  at: z.string(),
  orderId: z.string().exactOptional(),
  state: z.enum(['UNMATCHED', 'RETURNING', 'RETURNED']).exactOptional(),
  refundId: z.string().exactOptional(),
  connection: z.string().exactOptional(),
  version: z.int(),
} satisfies ItemMembers<ReceivedPix>);
export const parseReceivedPix: (item: Item) => ReceivedPix = parserOf(ReceivedItem, 'received Pix');

export function receivedKey(companyId: string, endToEndId: string): Key {
  return keys.receivedPix(companyId, endToEndId);
}

type NewReceived = Omit<ReceivedPix, 'version' | 'state' | 'refundId'>;

/**
 * Returns the write of received money. It belongs in the transaction that credits the money: of two concurrent ones one
 * fails.
 */
export function receivedPut(companyId: string, received: NewReceived): Put {
  const { endToEndId, accountId, amount, at } = received;
  const more = pick(received, 'orderId', 'connection');
  const facts = { entity: 'RECEIVED_PIX', endToEndId, accountId, amount, at, ...more, version: 1 };
  return { put: { ...receivedKey(companyId, endToEndId), ...facts }, when: { is: 'absent' } };
}

/** The Pix that paid a pay-in, claimed for its company. */
export function receivedBy(companyId: string, payIn: PayIn): readonly Put[] {
  const { id: orderId, accountId, amount, endToEndId, updatedAt: at } = payIn;
  if (endToEndId === undefined) return [];
  const received = { endToEndId, accountId, amount, orderId, at, ...pick(payIn, 'connection') };
  return [receivedPut(companyId, received), ...claimPuts(companyId, received)];
}

/**
 * Returns the write that claims a Pix for a company, so that no other company is credited with it. Empty for the
 * simulated bank.
 */
function claimPuts(
  companyId: string,
  { endToEndId, connection }: Pick<ReceivedPix, 'endToEndId' | 'connection'>,
): readonly Put[] {
  if (connection === undefined) return [];
  const put = { ...keys.claimedPix(endToEndId), entity: 'BANK_PIX', companyId };
  return [{ put, when: { any: [{ is: 'absent' }, { equals: { companyId } }] } }];
}

/**
 * Returns the keys of the two items of a credited Pix: the company's own, and the claim that names the credited
 * company.
 */
export function creditKeys(companyId: string, endToEndId: string): readonly [Key, Key] {
  return [receivedKey(companyId, endToEndId), keys.claimedPix(endToEndId)];
}

/** Checks that no other company claims the Pix. @throws Error otherwise: a person must find out whose account it is */
export function requireUnclaimed(companyId: string, claim: Item | undefined): void {
  if (claim === undefined || claim['companyId'] === companyId) return;
  throw new Error('This Pix was credited to another company: two companies share one account at a bank.');
}

/** Returns `receivedPut` for unmatched money, which the operator's list contains. */
export function unmatchedPut(companyId: string, received: NewReceived): Put {
  const { put, ...rest } = receivedPut(companyId, received);
  const listed = unmatchedAttributes(companyId, received.at, received.endToEndId);
  return { ...rest, put: { ...put, ...listed, state: 'UNMATCHED' } };
}

/** Returns the writes of unmatched money, claimed for its company. */
export function unmatchedPuts(companyId: string, received: NewReceived): readonly Put[] {
  return [unmatchedPut(companyId, received), ...claimPuts(companyId, received)];
}

/** Reads received money; undefined when the company never received it. */
export async function readReceived(
  store: Store,
  companyId: string,
  endToEndId: string,
): Promise<ReceivedPix | undefined> {
  const [item] = await store.read([receivedKey(companyId, endToEndId)]);
  return item && parseReceivedPix(item);
}

/** Returns the write that takes a due return and postpones its next submission. Of two concurrent runs one fails. */
export function returnTaken(companyId: string, received: ReceivedPix, at: Instant): Put {
  const { put, when } = receivedUpdate(companyId, received, received, askAgainAt(at));
  return { put, when: { all: [when, isDueBy(companyId, 'CREDIT_RETURN', received.endToEndId, at)] } };
}

/** Unmatched money after a change, if nothing changed it meanwhile. `due`: when its return is submitted again. */
export function receivedUpdate(
  companyId: string,
  before: ReceivedPix,
  after: ReceivedPix,
  due?: Instant,
): Required<Put> {
  const { at, endToEndId, state } = after;
  const listed = state === 'RETURNED' ? {} : unmatchedAttributes(companyId, at, endToEndId);
  const waits = due === undefined ? {} : dueAttributesAt(companyId, 'CREDIT_RETURN', due, endToEndId);
  const item = { ...receivedKey(companyId, endToEndId), ...listed, ...waits, entity: 'RECEIVED_PIX' };
  return { put: { ...item, ...after, version: before.version + 1 }, when: { equals: { version: before.version } } };
}

/** Lists at most `limit` entries of a company's unmatched money that has not been returned yet. */
export async function listUnmatched(store: Store, companyId: string, limit: number): Promise<readonly ReceivedPix[]> {
  const { GSI2PK: partition } = unmatchedAttributes(companyId, '', '');
  const { items: found } = await store.query({ index: 'GSI2', partition, limit });
  const items = await store.read(found.map(({ PK, SK }) => ({ PK, SK })));
  return items.flatMap((item) => (item === undefined ? [] : [parseReceivedPix(item)]));
}

import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import type { Centavos } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import { StoredCentavos } from '../platform/ledger/ledger.ts';
import { keys } from '../platform/table/keys.ts';
import type { ItemMembers } from '../platform/table/parse.ts';
import { parserOf } from '../platform/table/parse.ts';
import type { Item, Key, Put, Store, Update } from '../platform/table/store.ts';

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
  /** The credit of money that no open charge expected. */
  readonly creditId?: string;
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
  creditId: z.string().exactOptional(),
  connection: z.string().exactOptional(),
  version: z.int(),
} satisfies ItemMembers<ReceivedPix>);
export const parseReceivedPix: (item: Item) => ReceivedPix = parserOf(ReceivedItem, 'received Pix');

export function receivedKey(companyId: string, endToEndId: string): Key {
  return keys.receivedPix(companyId, endToEndId);
}

type NewReceived = Omit<ReceivedPix, 'version'>;

/**
 * Returns the write of received money. It belongs in the transaction that credits the money: of two concurrent ones one
 * fails.
 */
export function receivedPut(companyId: string, received: NewReceived): Put {
  const { endToEndId, accountId, amount, at } = received;
  const more = pick(received, 'orderId', 'creditId', 'connection');
  const facts = { entity: 'RECEIVED_PIX', endToEndId, accountId, amount, at, ...more, version: 1 };
  return { put: { ...receivedKey(companyId, endToEndId), ...facts }, when: { is: 'absent' } };
}

type PaidOrder = Pick<ReceivedPix, 'accountId' | 'amount' | 'connection'> & {
  readonly id: string;
  readonly endToEndId?: string;
  readonly updatedAt: Instant;
};

/** The Pix that paid a pay-in, claimed for its company. */
export function receivedBy(companyId: string, payIn: PaidOrder): readonly Put[] {
  const { id: orderId, accountId, amount, endToEndId, updatedAt: at } = payIn;
  if (endToEndId === undefined) return [];
  const received = { endToEndId, accountId, amount, orderId, at, ...pick(payIn, 'connection') };
  return [receivedPut(companyId, received), ...claimPuts(companyId, received)];
}

/**
 * Returns the write that claims a Pix for a company, so that no other company is credited with it. Empty for the
 * simulated bank.
 */
export function claimPuts(
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

/** Returns the write that gives the money of a credit to the pay-in that it pays. */
export function receivedAssigned(
  companyId: string,
  {
    endToEndId,
    creditId,
    orderId,
  }: { readonly endToEndId: string; readonly creditId: string; readonly orderId: string },
): Update {
  return { update: receivedKey(companyId, endToEndId), set: { orderId }, when: { equals: { creditId } } };
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

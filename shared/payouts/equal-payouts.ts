import * as z from 'zod';
import type { Account } from '#shared/accounts/model.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { epochSeconds, plusSeconds, secondsBetween } from '../core/brasilia-time.ts';
import { forbiddenByState } from '../core/errors.ts';
import type { Centavos } from '../core/money.ts';
import { readHash } from '../platform/keyed-hash.ts';
import { keys } from '../platform/table/keys.ts';
import type { ItemMembers } from '../platform/table/parse.ts';
import { parserOf } from '../platform/table/parse.ts';
import type { Key, Put, Store } from '../platform/table/store.ts';
import type { Payout } from './model.ts';
import { readPayout } from './store.ts';
import type { PayoutTarget } from './target.ts';

/** Seconds in which a payout like another one is refused. */
const guardedSeconds = 600;
/** Life of the item, seconds: longer than the guarded ones, by any clock. */
const keptSeconds = 86_400;

type Latest = { readonly payoutId: string; readonly createdAt: Instant };

const parseLatest = parserOf(
  z.object({
    entity: z.literal('EQUAL_PAYOUT'),
    payoutId: z.string(),
    createdAt: z.string(),
    expiresAt: z.int(),
  } satisfies ItemMembers<Latest & { expiresAt: number }>),
  'latest of equal payouts',
);

/** The item of payouts that are equal, and the one that it names; absent before the first. */
export type EqualPayout = { readonly key: Key; readonly latest: string | undefined };

type Wanted = {
  readonly account: Account;
  readonly target: PayoutTarget;
  readonly amount: Centavos;
  readonly allowDuplicate: boolean;
};

/**
 * Looks for a payout of the last ten minutes with the same account, receiver and amount that has not failed. Reads
 * nothing for an account that does not refuse such payouts.
 * @returns the item that the new payout takes over
 * @throws RequestError 409 `ALREADY_EXISTS`, unless the request allows it
 */
export async function requireNoEqual(
  store: Store,
  { account, target, amount, allowDuplicate }: Wanted,
  at: Instant,
): Promise<EqualPayout | undefined> {
  const { companyId, id } = account;
  if (account.equalPayouts !== 'REFUSED') return undefined;
  const hash = await readHash(store);
  const what = JSON.stringify([receiverOf(target), amount]);
  const key = keys.equalPayout(companyId, id, hash(companyId, 'EQUAL_PAYOUT', what));
  const [item] = await store.read([key]);
  const latest = item && parseLatest(item);
  if (latest !== undefined && !allowDuplicate && secondsBetween(latest.createdAt, at) < guardedSeconds)
    await requireFailed(store, companyId, latest);
  return { key, latest: latest?.payoutId };
}

async function requireFailed(store: Store, companyId: string, { payoutId, createdAt }: Latest): Promise<void> {
  const { status } = (await readPayout(store, companyId, payoutId))?.payout ?? {};
  if (status === undefined || status === 'ERROR' || status === 'CANCELED') return;
  throw forbiddenByState(
    'paymentData',
    'ALREADY_EXISTS',
    `The payout ${payoutId} of ${createdAt} has the same account, receiver and amount and is ${status}. ` +
      'If you want another one, repeat the request with allowDuplicate: true.',
  );
}

/** Names a new payout as the latest of equal ones. Fails if another one was created since the item was read. */
export function equalPayoutPut({ key, latest }: EqualPayout, { id, createdAt }: Payout): Put {
  const expiresAt = epochSeconds(plusSeconds(createdAt, keptSeconds));
  return {
    put: { ...key, entity: 'EQUAL_PAYOUT', payoutId: id, createdAt, expiresAt },
    when: latest === undefined ? { is: 'absent' } : { equals: { payoutId: latest } },
  };
}

/** Returns where a payout goes. A static code leads to its key. */
function receiverOf(target: PayoutTarget): readonly (string | undefined)[] {
  switch (target.initiation) {
    case 'KEY':
    case 'STATIC_QRCODE':
      return [target.key.type, target.key.key];
    case 'DYNAMIC_QRCODE':
      return [target.url];
    case 'MANUAL':
      return [target.bank.ispb, target.bank.branch, target.bank.account];
  }
}

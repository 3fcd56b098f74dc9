import { plusSeconds } from '../core/brasilia-time.ts';
import { RequestError } from '../core/errors.ts';
import type { Centavos } from '../core/money.ts';
import { centavos } from '../core/money.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import { readBalance } from '../platform/ledger/shards.ts';
import type { Dispute } from './model.ts';
import { isUndecided } from './model.ts';
import { blockMore } from './states.ts';
import { postponeBlocks, readDispute, readShort } from './store.ts';
import { blockTransition } from './transition.ts';

/** How often an account is looked at while a dispute lacks money. */
const everySeconds = 60;
/** Disputes of one account that one run blocks money for. The next run goes on. */
const disputesAtOnce = 20;

type BlockContext = TransitionContext;

/**
 * Blocks money that came since for the disputes of an account that lack some, oldest first. Its job runs every minute
 * until none lacks any.
 */
export async function blockForDisputes(context: BlockContext, accountId: string): Promise<number> {
  const { store, companyId, realNow } = context;
  let blocked = 0;
  for (;;) {
    const short = await readShort(store, companyId, accountId);
    const isFilled =
      short.disputeId !== undefined && blocked < disputesAtOnce && (await blockFor(context, short.disputeId));
    if (isFilled) {
      blocked += 1;
      continue;
    }
    await postponeBlocks(store, companyId, accountId, short, plusSeconds(realNow(), everySeconds));
    return blocked;
  }
}

/** Blocks for one dispute what the account has. @returns whether it lacks no more money, so that the next is due */
async function blockFor(context: BlockContext, id: string): Promise<boolean> {
  const { store, companyId, at } = context;
  const read = async () => {
    const found = await readDispute(store, companyId, id);
    if (found === undefined || !isUndecided(found.dispute)) return undefined;
    return { dispute: found.dispute, available: await availableOf(context, found.dispute.accountId) };
  };
  type Found = Awaited<ReturnType<typeof read>>;
  const after = await whileMoneyMoves((isLast) =>
    commitTransition<Found, Dispute | undefined>(context, read, (found) => {
      if (found === undefined || isLast) return { unchanged: found?.dispute };
      const more = blockMore(found.dispute, found.available, at);
      return more === undefined ? { unchanged: found.dispute } : blockTransition(context, found.dispute, more);
    }),
  );
  return after === undefined || after.blockedAmount === after.amount;
}

/** Returns the amount that can be blocked on an account now. */
export async function availableOf(
  { store, companyId }: Pick<TransitionContext, 'store' | 'companyId'>,
  accountId: string,
): Promise<Centavos> {
  const balance = await readBalance(store, companyId, accountId);
  return centavos(Math.max(0, balance?.available ?? 0));
}

/**
 * Reads and decides again when money that was to be blocked was spent meanwhile. The last try blocks nothing: the job
 * of the account does, a minute later.
 */
export async function whileMoneyMoves<T>(attempt: (isLast: boolean) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt(tries === mostTries);
    } catch (error) {
      const isSpent =
        error instanceof RequestError && error.details.some(({ issue }) => issue === 'INSUFFICIENT_BALANCE');
      if (!isSpent || tries === mostTries) throw error;
    }
  }
}
const mostTries = 5;

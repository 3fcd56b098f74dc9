import { randomUUID } from 'node:crypto';
import type { Clock } from '#shared/core/brasilia-time.ts';
import { concurrently } from '#shared/platform/concurrently.ts';
import type { SigningKey } from '#shared/platform/signing/jws.ts';
import { signedText } from '#shared/platform/signing/jws.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { ChainOf, Progress } from '../chain/items.ts';
import { progressCheck, readHead } from '../chain/items.ts';
import type { Minute } from '../chain/minutes.ts';
import type { Inclusion, StatementRoot } from './items.ts';
import { hashOfRoot, inclusionPut, lastRoot, leafOf, readRoot, rootPut, rootVersion, signedPosition } from './items.ts';
import { merkleTree } from './merkle.ts';

/** Keeps the JWS of a minute where nobody can change or delete it. It keeps the first one that it gets. */
export type KeepRoot = (minute: Minute, jws: string) => Promise<void>;

export type Signing = { readonly key: SigningKey; readonly keep: KeepRoot };

type SigningRun = { readonly store: Store; readonly now: Clock; readonly signing: Signing };

const accountsAtOnce = 16;

/**
 * Signs where the chains of these accounts end, once nothing more is added in the minute: a root over all that are
 * longer than the last root shows, and none if there is no such account. A crash at any point, a repetition and another
 * run at the same time leave one root, and every account of its tree has its path.
 * @param closing the progress in which the minute is being closed: after it another run signs nothing more for it
 */
export async function signMinute(run: SigningRun, closing: Progress, accounts: readonly ChainOf[]): Promise<void> {
  const minute = closing.closing;
  const signed = (await readRoot(run.store, minute)) ?? (await signNow(run, closing, accounts));
  if (signed !== undefined) await run.signing.keep(minute, signed.jws);
}

/** Writes the paths of all accounts, then the root: a root without the path of one of its accounts is never there. */
async function signNow(
  { store, now, signing }: SigningRun,
  closing: Progress,
  accounts: readonly ChainOf[],
): Promise<StatementRoot | undefined> {
  const leaves = await leavesOf(store, accounts);
  if (leaves.length === 0) return undefined;
  const minute = closing.closing;
  const { root, paths } = merkleTree(leaves.map(({ hash }) => hash));
  await concurrently(leaves.entries(), accountsAtOnce, async ([at, { account, head }]) => {
    const inclusion: Inclusion = { minute, root: root.toString('hex'), ...head, path: paths[at] ?? [] };
    await store.writeOne(inclusionPut(account, inclusion));
  });
  const before = await lastRoot(store);
  const facts = { minute, root: root.toString('hex'), signedAt: now() };
  const previous = before && { minute: before.minute, hash: hashOfRoot(before) };
  const payload = { version: rootVersion, ...facts, ...(previous && { previous }) };
  const jws = await signedText(signing.key, 'statement-root+jws', payload);
  await store.write([rootPut({ ...facts, jws }), progressCheck(closing)], randomUUID());
  // That of another run, if it was first. None: another run has closed the minute without one.
  return readRoot(store, minute);
}

/** Reads the accounts whose chain has grown since the last root that shows them. */
async function leavesOf(store: Store, accounts: readonly ChainOf[]) {
  const found = await concurrently(accounts, accountsAtOnce, async (account) => {
    const [head, signed] = await Promise.all([readHead(store, account), signedPosition(store, account)]);
    if (head === undefined || head.position <= signed) return [];
    const { position, hash } = head;
    return [{ account, head: { position, hash }, hash: leafOf(account.accountId, head) }];
  });
  // Any order that tells nothing of the accounts.
  return found.flat().toSorted((a, b) => Buffer.compare(a.hash, b.hash));
}

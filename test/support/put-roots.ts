import { inclusionPut, rootPut } from '#shared/accounts/roots/items.ts';
import type { Store } from '#shared/platform/table/store.ts';

/** Writes roots of eight minutes, with one account or two, and for each minute a tree that was never signed. */
export async function putRoots(store: Store, companyId: string, accounts: readonly [string, string]): Promise<void> {
  const [root, unsigned] = ['ab'.repeat(32), 'cd'.repeat(32)];
  for (let place = 0; place < 8; place += 1) {
    const minute = `2026-01-15T15:0${place}`;
    const signed = rootPut({ minute, root, signedAt: `${minute}:59.000Z`, jws: 'a.b.c' });
    const inclusions = accounts.flatMap((accountId, at) => {
      const end = { minute, position: place + 1, hash: 'ef'.repeat(32), path: [] };
      const trees = place % 3 === at + 1 ? [] : [root, unsigned];
      return trees.map((tree) => inclusionPut({ companyId, accountId }, { ...end, root: tree }));
    });
    await store.write([signed, ...inclusions], minute);
  }
}

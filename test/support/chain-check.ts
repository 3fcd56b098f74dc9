import { createHash } from 'node:crypto';
import { ledgerEntryView } from '#shared/accounts/view.ts';
import { parseLedgerEntry } from '#shared/platform/ledger/ledger.ts';
import type { Item } from '#shared/platform/table/store.ts';
import { accountPartition } from './account-balances.ts';

/** Sorts the members of objects by their names, at every depth (RFC 8785, for texts and whole numbers). */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

/** The hash of an entry by a second reading of docs/statement-proofs.md. */
export function secondHash(previous: string, entry: object): string {
  const text = JSON.stringify(sorted({ ...entry, version: 1 }));
  return createHash('sha256').update(Buffer.from(previous, 'hex')).update(text).digest('hex');
}

type Chained = { readonly id: string; readonly minute: string; readonly hash: string; readonly single: boolean };

/** The links of an account's chain as the items of the table have them, in the order of their positions. */
export function chainOf(items: readonly Item[], account: string): readonly Chained[] {
  const segments = items
    .filter(({ PK, entity }) => PK === `${account}#CHAIN` && entity === 'CHAIN_SEGMENT')
    .toSorted((a, b) => Number(a['first']) - Number(b['first']));
  const links: Chained[] = [];
  for (const segment of segments) {
    if (segment['first'] !== links.length + 1)
      throw new Error(`A segment begins at ${String(Number(segment['first']))}.`);
    const packed = Buffer.from(segment['links'] as Uint8Array).toString('hex');
    for (const [link] of packed.matchAll(/.{96}/gu)) {
      const id = link.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, '$1-$2-$3-$4-$5');
      const { minute, single } = segment;
      links.push({
        id,
        minute: typeof minute === 'string' ? minute : '',
        hash: link.slice(32),
        single: single === true,
      });
    }
  }
  return links;
}

/** What is wrong with the chains of all accounts among the items: every entry is in its account's chain, once. */
export function chainErrors(items: readonly Item[]): readonly string[] {
  const entries = items.filter(({ entity }) => entity === 'LEDGER_ENTRY');
  const accounts = Map.groupBy(entries, ({ PK }) => accountPartition(PK));
  return [...accounts].flatMap(([account, own]) => {
    const byId = new Map(own.map(parseLedgerEntry).map((entry) => [entry.id, ledgerEntryView(entry)]));
    const errors: string[] = [];
    let previous = '0'.repeat(64);
    for (const { id, hash } of chainOf(items, account)) {
      const entry = byId.get(id);
      if (entry === undefined) errors.push(`${account}: ${id} is chained twice, or no entry`);
      else if (secondHash(previous, entry) !== hash) errors.push(`${account}: ${id} has another hash`);
      byId.delete(id);
      previous = hash;
    }
    const head = items.find(({ PK, SK }) => PK === `${account}#CHAIN` && SK === 'HEAD');
    if (head !== undefined && head['hash'] !== previous) errors.push(`${account}: the head is not its last entry`);
    return [...errors, ...[...byId.keys()].map((id) => `${account}: ${id} is not chained`)];
  });
}

import * as z from 'zod';
import { LedgerEntryRecord } from '#shared/accounts/contract.ts';
import { entryHash } from '#shared/accounts/chain/entry-hash.ts';
import type { Centavos } from '#shared/core/money.ts';
import { addCentavos, centavos, parseDecimal } from '#shared/core/money.ts';
import { jsonOf } from '../api/http.ts';
import type { SignedTo } from './verify-roots.ts';
import { RootLine, rootVerifier } from './verify-roots.ts';

// A later release may add fields: they are not part of the canonical form of version 1.
const Line = z.looseObject(LedgerEntryRecord.shape);
type Entry = z.output<typeof Line>;

type Verdict =
  | { readonly ok: false; readonly error: string }
  | {
      readonly ok: true;
      readonly accountId: string;
      readonly count: number;
      /** Positions of the first and the last entry in the chain. */
      readonly first: number;
      readonly last: number;
      /** Of the last entry: compare it with what you kept. */
      readonly hash: string;
      readonly from: string;
      readonly to: string;
      /** Sum of the entries of the file: the balance, if they begin with the first one. */
      readonly total: Centavos;
      /** Entries at the end whose minute had not closed. */
      readonly unchained: number;
      /** The last entry that a signed root covers; absent if the file has no root of its entries. */
      readonly signed?: SignedTo;
    };

/**
 * Verifies a file of entries with proofs, a line of JSON for each: that no entry was changed since it was chained, and
 * that none is missing, added or moved between the first and the last one, and that each signed root of the file covers
 * the entry that it names. Entries may be in any order; roots come before them.
 * @param expectedKey thumbprint of the key that must have signed
 */
export async function verifyLines(lines: AsyncIterable<string>, expectedKey?: string): Promise<Verdict> {
  /** Hashes that must be `previous` of the entry at this position, and the other way round. */
  const [after, before] = [new Map<number, string>(), new Map<number, string>()];
  const state = { count: 0, unchained: 0, total: centavos(0), last: 0, first: Infinity, hash: '', from: '~', to: '' };
  let accountId: string | undefined;
  let oldestOpen: Entry | undefined;
  let newest = '';
  const roots = rootVerifier(expectedKey);
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line === '') continue;
    const content = jsonOf(line);
    const root = RootLine.safeParse(content).data;
    if (root !== undefined) {
      const error =
        accountId === undefined || state.count === 0 ? roots.add(accountId, root) : 'A root comes after an entry.';
      if (error !== undefined) return bad(error);
      accountId ??= root.inclusion.accountId;
      continue;
    }
    const entry = Line.safeParse(content).data;
    if (entry === undefined) return bad(`Line ${number} is no entry and no root.`);
    accountId ??= entry.accountId;
    if (entry.accountId !== accountId)
      return bad(`The file has entries of two accounts, ${accountId} and ${entry.accountId}.`);
    state.total = addCentavos(state.total, ...[entry.available, entry.reserved, entry.blocked].map(parseDecimal));
    if (entry.createdAt < state.from) state.from = entry.createdAt;
    if (entry.createdAt > state.to) state.to = entry.createdAt;
    if (entry.proof === undefined) {
      state.unchained += 1;
      if (oldestOpen === undefined || entry.createdAt < oldestOpen.createdAt) oldestOpen = entry;
      continue;
    }
    if (entry.createdAt > newest) newest = entry.createdAt;
    const { position, previous, hash } = entry.proof;
    if (hashOf(previous, entry) !== hash) return bad(`${named(entry)} was changed after it was chained.`);
    if ((after.get(position) ?? previous) !== previous || (before.get(position) ?? hash) !== hash)
      return bad(`${named(entry)} does not follow the entry before it.`);
    if (position === 1 && previous !== '0'.repeat(64)) return bad(`${named(entry)} is not the first of its account.`);
    if (!roots.covers(position, hash)) return bad(`${named(entry)} is not the one that was signed.`);
    link(after, before, entry.proof);
    state.count += 1;
    state.first = Math.min(state.first, position);
    if (position > state.last) Object.assign(state, { last: position, hash });
  }
  if (accountId === undefined || state.count === 0) return bad('The file has no entry with a proof.');
  if (oldestOpen !== undefined && oldestOpen.createdAt < newest)
    return bad(
      `${named(oldestOpen)} has no proof, and later ones have. One that appeared late has it some minutes later.`,
    );
  const { first, last, count } = state;
  // Each entry but the last one is followed by another, each but the first one follows another.
  if (after.size !== 1 || before.size !== 1 || last - first + 1 !== count)
    return bad(`An entry of the account ${accountId} is missing, or there twice: ${missingAmong(before, first)}.`);
  const disorder = roots.order();
  if (disorder !== undefined) return bad(disorder);
  const signed = roots.last(first, last);
  if (signed === undefined && expectedKey !== undefined) return bad('No signed root of the file covers an entry.');
  return { ok: true, accountId, ...state, ...(signed && { signed }) };
}

/** The hash of an entry; undefined for a text that is not Unicode, which no entry has. */
function hashOf(previous: string, entry: Entry): string | undefined {
  try {
    return entryHash(previous, entry);
  } catch {
    return undefined;
  }
}

/** Links an entry with those beside it that were read already. */
function link(
  after: Map<number, string>,
  before: Map<number, string>,
  { position, previous, hash }: { readonly position: number; readonly previous: string; readonly hash: string },
): void {
  if (!after.delete(position)) before.set(position - 1, previous);
  if (!before.delete(position)) after.set(position + 1, hash);
}

function missingAmong(before: ReadonlyMap<number, string>, first: number): string {
  const gap = [...before.keys()].filter((position) => position >= first).toSorted((a, b) => a - b)[0];
  return gap === undefined ? 'one position is taken by two' : `see position ${gap}`;
}

function named({ accountId, id, createdAt, proof }: Entry): string {
  const position = proof === undefined ? '' : `, position ${proof.position}`;
  return `The entry ${id} of ${createdAt.slice(0, 16)} (account ${accountId}${position})`;
}

function bad(error: string): Verdict {
  return { ok: false, error };
}

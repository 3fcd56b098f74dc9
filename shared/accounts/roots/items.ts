import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { keys, prefixes } from '#shared/platform/table/keys.ts';
import type { ItemMembers } from '#shared/platform/table/parse.ts';
import { parserOf } from '#shared/platform/table/parse.ts';
import type { Put, Store } from '#shared/platform/table/store.ts';
import { queryAll } from '#shared/platform/table/store.ts';
import type { ChainOf, Head } from '../chain/items.ts';
import type { Minute } from '../chain/minutes.ts';
import type { Step } from './merkle.ts';
import { leafHash } from './merkle.ts';

/** Version of leaves and of signed roots. */
export const rootVersion = 1;

/** The signed root of a minute: of the tree of all accounts that were chained further when it closed. */
export type StatementRoot = {
  readonly minute: Minute;
  /** Hexadecimal. */
  readonly root: string;
  readonly signedAt: Instant;
  /** Compact JWS of the three above and of the root before it (docs/statement-proofs.md). */
  readonly jws: string;
};

/** Where an account's chain ended in the tree of a minute. */
export type Inclusion = Pick<Head, 'position' | 'hash'> & {
  readonly minute: Minute;
  /** Of the tree, hexadecimal: of two trees that runs made at the same time one is signed. */
  readonly root: string;
  readonly path: readonly Step[];
};

const hashBytes = 32;
const bytes = z.instanceof(Uint8Array);

export const parseRoot = parserOf(
  z.object({
    entity: z.literal('STATEMENT_ROOT'),
    minute: z.string(),
    root: z.string(),
    signedAt: z.string(),
    jws: z.string(),
  } satisfies ItemMembers<StatementRoot>),
  'statement root',
);
const parseInclusionItem = parserOf(
  z.object({
    entity: z.literal('CHAIN_INCLUSION'),
    minute: z.string(),
    root: z.string(),
    position: z.int(),
    hash: z.string(),
    /** A letter for each step: the side of its hash, L or R. */
    sides: z.string(),
    hashes: bytes,
  } satisfies ItemMembers<Omit<Inclusion, 'path'> & { sides: string; hashes: Uint8Array }>),
  'inclusion of a chain',
);

/** The hash of the leaf of an account, whose form is canonical JSON (RFC 8785). */
export function leafOf(accountId: string, { position, hash }: Pick<Head, 'position' | 'hash'>): Buffer {
  return leafHash(Buffer.from(canonicalize({ version: rootVersion, accountId, position, hash }) ?? ''));
}

/** What a root names of the root before it: SHA-256 of the text of its JWS, hexadecimal. */
export function hashOfRoot({ jws }: Pick<StatementRoot, 'jws'>): string {
  return createHash('sha256').update(jws).digest('hex');
}

export function rootPut(root: StatementRoot): Put {
  return { put: { ...keys.statementRoot(root.minute), entity: 'STATEMENT_ROOT', ...root }, when: { is: 'absent' } };
}

export async function readRoot(store: Store, minute: Minute): Promise<StatementRoot | undefined> {
  const [item] = await store.read([keys.statementRoot(minute)]);
  return item && parseRoot(item);
}

/** Returns the newest root. */
export async function lastRoot(store: Store): Promise<StatementRoot | undefined> {
  const { PK: partition } = keys.statementRoot('');
  const { items } = await store.query({ partition, ascending: false, limit: 1 });
  return items[0] && parseRoot(items[0]);
}

/** An inclusion is written before its root, and again by every repetition, with the same content. */
export function inclusionPut({ companyId, accountId }: ChainOf, { path, ...inclusion }: Inclusion): Put {
  const sides = path.map(({ side }) => side.slice(0, 1)).join('');
  const hashes = Buffer.concat(path.map(({ hash }) => hash));
  const key = keys.chainInclusion(companyId, accountId, inclusion.minute, inclusion.root);
  return { put: { ...key, entity: 'CHAIN_INCLUSION', ...inclusion, sides, hashes } };
}

/** @throws CorruptItem */
export function parseInclusion(item: Parameters<typeof parseInclusionItem>[0]): Inclusion {
  const { sides, hashes, ...inclusion } = parseInclusionItem(item);
  const path = Array.from(sides, (side, at): Step => {
    const hash = Buffer.from(hashes.subarray(at * hashBytes, (at + 1) * hashBytes));
    return { side: side === 'L' ? 'LEFT' : 'RIGHT', hash };
  });
  return { ...inclusion, path };
}

/**
 * Returns how many entries of an account the last signed root covers. An inclusion in a tree that was never signed does
 * not count.
 */
export async function signedPosition(store: Store, { companyId, accountId }: ChainOf): Promise<number> {
  const { PK: partition } = keys.chainInclusion(companyId, accountId, '', '');
  const newestFirst = { partition, from: prefixes.chainInclusion, upTo: `${prefixes.chainInclusion}~` };
  for await (const item of queryAll(store, { ...newestFirst, ascending: false, limit: 1 })) {
    const { minute, root, position } = parseInclusion(item);
    if ((await readRoot(store, minute))?.root === root) return position;
  }
  return 0;
}

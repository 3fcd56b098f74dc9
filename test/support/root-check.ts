import type { JsonWebKey } from 'node:crypto';
import { createHash, createPublicKey, verify } from 'node:crypto';
import type { Item } from '#shared/platform/table/store.ts';
import { chainOf } from './chain-check.ts';

const sha256 = (...parts: readonly (Buffer | string)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

export const nodeHash = (left: Buffer, right: Buffer): Buffer => sha256(Buffer.from([1]), left, right);

/** The hash of a tree by the words of RFC 6962 section 2.1, split at the largest power of two below its leaves. */
export function treeHash(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 1) return leaves[0]!;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return nodeHash(treeHash(leaves.slice(0, split)), treeHash(leaves.slice(split)));
}

const leaf = (accountId: string, position: number, hash: string): Buffer =>
  sha256(Buffer.from([0]), JSON.stringify({ accountId, hash, position, version: 1 }));

type Header = { readonly alg: string; readonly typ: string; readonly kid: string; readonly jwk: JsonWebKey };
type Payload = {
  readonly version: number;
  readonly minute: string;
  readonly root: string;
  readonly signedAt: string;
  readonly previous?: { readonly minute: string; readonly hash: string };
};

/** Returns what a compact JWS signs, verified with the key in its header. @throws Error */
export function payloadOf(jws: string): { readonly payload: Payload; readonly kid: string } {
  const [header = '', payload = '', signature = ''] = jws.split('.');
  const { alg, typ, kid, jwk } = JSON.parse(Buffer.from(header, 'base64url').toString()) as Header;
  if (alg !== 'ES256' || typ !== 'statement-root+jws') throw new Error(`The header says ${alg}, ${typ}.`);
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const signed = Buffer.from(`${header}.${payload}`);
  if (!verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')))
    throw new Error('The signature is of another text.');
  return { payload: JSON.parse(Buffer.from(payload, 'base64url').toString()) as Payload, kid };
}

const text = (item: Item, name: string): string => item[name] as string;

/**
 * What is wrong with the signed roots among all items, where nothing is left to do: each is signed once, follows the
 * one before it, is kept as it was signed, and is the root of its accounts; each chain is signed to its end.
 */
export function rootErrors(items: readonly Item[], kept: ReadonlyMap<string, string>): readonly string[] {
  const roots = items
    .filter(({ entity }) => entity === 'STATEMENT_ROOT')
    .toSorted((a, b) => (text(a, 'minute') < text(b, 'minute') ? -1 : 1));
  const errors: string[] = [];
  for (const [at, item] of roots.entries()) {
    const [minute, jws] = [text(item, 'minute'), text(item, 'jws')];
    const { payload } = payloadOf(jws);
    const before = roots[at - 1];
    const previous = before && { minute: text(before, 'minute'), hash: sha256(text(before, 'jws')).toString('hex') };
    const due = { version: 1, minute, root: item['root'], signedAt: item['signedAt'], ...(previous && { previous }) };
    if (JSON.stringify(payload) !== JSON.stringify(due)) errors.push(`${minute}: another text was signed`);
    if (kept.get(minute) !== jws) errors.push(`${minute}: not kept as it was signed`);
  }
  if (kept.size > roots.length) errors.push(`${kept.size} roots are kept, ${roots.length} signed`);
  return [...errors, ...treeErrors(items, new Map(roots.map((item) => [text(item, 'minute'), text(item, 'root')])))];
}

function treeErrors(items: readonly Item[], roots: ReadonlyMap<string, string>): readonly string[] {
  const errors: string[] = [];
  const inclusions = items.filter((item) => {
    return item['entity'] === 'CHAIN_INCLUSION' && roots.get(text(item, 'minute')) === item['root'];
  });
  const accountOf = ({ PK }: Item): string => /#ACC#([^#]+)#CHAIN$/u.exec(PK)?.[1] ?? '';
  const leafOf = (item: Item): Buffer => leaf(accountOf(item), Number(item['position']), text(item, 'hash'));
  const byMinute = Map.groupBy(inclusions, (item) => text(item, 'minute'));
  for (const [minute, root] of roots) {
    const own = byMinute.get(minute) ?? [];
    const leaves = own.map(leafOf).toSorted((a, b) => Buffer.compare(a, b));
    if (leaves.length === 0 || treeHash(leaves).toString('hex') !== root)
      errors.push(`${minute}: the root is not that of its ${leaves.length} accounts`);
    for (const item of own) if (climbed(item, leafOf(item)) !== root) errors.push(`${item.PK} ${minute}: a wrong path`);
  }
  for (const head of items.filter(({ entity }) => entity === 'CHAIN_HEAD')) {
    const own = inclusions.filter(({ PK }) => PK === head.PK);
    const links = chainOf(items, head.PK.slice(0, -'#CHAIN'.length));
    for (const item of own)
      if (links[Number(item['position']) - 1]?.hash !== item['hash']) errors.push(`${head.PK}: another hash is signed`);
    const last = Math.max(0, ...own.map(({ position }) => Number(position)));
    if (last !== head['position']) errors.push(`${head.PK}: signed to ${last} of ${Number(head['position'])}`);
    if (new Set(own.map(({ position }) => position)).size !== own.length) errors.push(`${head.PK}: signed twice`);
  }
  return errors;
}

/** The root to which the path of an inclusion leads. */
function climbed(item: Item, from: Buffer): string {
  const hashes = Buffer.from(item['hashes'] as Uint8Array);
  let hash = from;
  for (const [at, side] of Array.from(text(item, 'sides')).entries()) {
    const beside = hashes.subarray(at * 32, at * 32 + 32);
    hash = side === 'L' ? nodeHash(beside, hash) : nodeHash(hash, beside);
  }
  return hash.toString('hex');
}

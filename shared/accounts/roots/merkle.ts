import { createHash } from 'node:crypto';

/** The hash beside a node on the way to the root, and its side. */
export type Step = { readonly side: 'LEFT' | 'RIGHT'; readonly hash: Buffer };

const sha256 = (...parts: readonly Buffer[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

// A leaf cannot pass for a node, nor a node for a leaf (RFC 6962 section 2.1).
const leafPrefix = Buffer.from([0]);
const nodePrefix = Buffer.from([1]);

export function leafHash(leaf: Buffer): Buffer {
  return sha256(leafPrefix, leaf);
}

/**
 * The Merkle tree of hashes of leaves (RFC 6962 section 2.1). Pairs from the left on, with a last single node taken as
 * it is, are the split at the largest power of two.
 * @returns its root, and the path of each leaf: the nodes beside it, from the leaf up (section 2.1.1)
 * @throws Error without a leaf
 */
export function merkleTree(leaves: readonly Buffer[]): {
  readonly root: Buffer;
  readonly paths: readonly (readonly Step[])[];
} {
  const levels: Buffer[][] = [[...leaves]];
  for (let level = levels[0] ?? []; level.length > 1;) {
    const above: Buffer[] = [];
    for (let at = 0; at < level.length; at += 2) {
      const [left, right] = [level[at], level[at + 1]];
      if (left !== undefined) above.push(right === undefined ? left : sha256(nodePrefix, left, right));
    }
    levels.push(above);
    level = above;
  }
  const root = levels.at(-1)?.[0];
  if (root === undefined) throw new Error('A tree has at least one leaf.');
  return { root, paths: leaves.map((_, leaf) => pathOf(levels, leaf)) };
}

function pathOf(levels: readonly (readonly Buffer[])[], leaf: number): readonly Step[] {
  return levels.slice(0, -1).flatMap((level, height): readonly Step[] => {
    const at = leaf >> height;
    const hash = level[at ^ 1];
    return hash === undefined ? [] : [{ side: at % 2 === 1 ? 'LEFT' : 'RIGHT', hash }];
  });
}

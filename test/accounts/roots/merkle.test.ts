import { expect, it } from 'vitest';
import type { Step } from '#shared/accounts/roots/merkle.ts';
import { leafHash, merkleTree } from '#shared/accounts/roots/merkle.ts';
import { fc } from '#test/support/properties.ts';
import { nodeHash, treeHash } from '#test/support/root-check.ts';

/** Leaves and roots of the tests of Certificate Transparency (google/certificate-transparency, merkle_tree_test). */
const leaves = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map(
  (hex) => leafHash(Buffer.from(hex, 'hex')),
);
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

it.each(roots.map((root, at) => [at + 1, root] as const))(
  'a tree of %i leaves has the published root',
  (count, root) => {
    expect(merkleTree(leaves.slice(0, count)).root.toString('hex')).toBe(root);
  },
);

const rootOf = (leaf: Buffer, path: readonly Step[]): Buffer =>
  path.reduce((at, { side, hash }) => (side === 'LEFT' ? nodeHash(hash, at) : nodeHash(at, hash)), leaf);

it('the path of every leaf leads to the root, that of another leaf does not, and the root is that of a second reading', () => {
  const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));
  const distinct = fc.uniqueArray(hash, { minLength: 1, maxLength: 70, selector: (bytes) => bytes.toString('hex') });
  fc.assert(
    fc.property(distinct, (hashes) => {
      const { root, paths } = merkleTree(hashes);
      expect(root).toEqual(treeHash(hashes));
      for (const [at, leaf] of hashes.entries()) {
        expect(rootOf(leaf, paths[at]!)).toEqual(root);
        const other = hashes[(at + 1) % hashes.length]!;
        if (hashes.length > 1) expect(rootOf(other, paths[at]!)).not.toEqual(root);
      }
    }),
  );
});

it('there is no tree without a leaf', () => {
  expect(() => merkleTree([])).toThrow('at least one leaf');
});

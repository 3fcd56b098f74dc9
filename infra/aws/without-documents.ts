import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

const root = join(import.meta.dirname, '../..');

/**
 * Leaves out of a function what only the API document says: the schemas of answers, and what contracts tell of their
 * fields. Schemas are built when a function starts, used or not.
 */
export const withoutDocuments: Plugin = {
  name: 'without-documents',
  setup: (build) => {
    build.onLoad({ filter: /[\\/](?:shared[\\/]contracts[\\/].*|contract)\.ts$/ }, async ({ path }) => {
      // The compiler is loaded where something is bundled alone: that takes a quarter of a second.
      const { withoutDocument } = await import('./contract-without-document.ts');
      return { contents: withoutDocument(path, await readFile(path, 'utf8')), loader: 'ts' };
    });
    // No module of ours does anything by being imported: one that is not used any more goes, with all that it imports.
    build.onResolve({ filter: /^(?:#shared\/|\.\.?\/).*\.ts$/ }, ({ path, resolveDir, kind }) =>
      kind === 'entry-point'
        ? undefined
        : { path: path.startsWith('#') ? join(root, path.slice(1)) : join(resolveDir, path), sideEffects: false },
    );
  },
};

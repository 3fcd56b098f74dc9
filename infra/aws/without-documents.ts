import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import ts from 'typescript';

const root = join(import.meta.dirname, '../..');

/** What of a contract only the API document, the partner's tools and the tests read. */
const unread: ReadonlySet<string> = new Set(['answers', 'summary', 'description', 'tag']);

/**
 * Leaves out of a function what only the API document says: the schemas of answers, and what contracts tell of their
 * fields. Schemas are built when a function starts, used or not.
 */
export const withoutDocuments: Plugin = {
  name: 'without-documents',
  setup: (build) => {
    build.onLoad({ filter: /[\\/](?:shared[\\/]contracts[\\/].*|contract)\.ts$/ }, async ({ path }) => ({
      contents: withoutDocument(path, await readFile(path, 'utf8')),
      loader: 'ts',
    }));
    // No module of ours does anything by being imported: one that is not used any more goes, with all that it imports.
    build.onResolve({ filter: /^(?:#shared\/|\.\.?\/).*\.ts$/ }, ({ path, resolveDir, kind }) =>
      kind === 'entry-point'
        ? undefined
        : { path: path.startsWith('#') ? join(root, path.slice(1)) : join(resolveDir, path), sideEffects: false },
    );
  },
};

/** A module of contracts without that; a constant that nothing uses may go, too. What stays keeps its line. */
function withoutDocument(path: string, text: string): string {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const edits: Edit[] = [];
  const made = new Set<number>();
  const visit = (node: ts.Node, isConstant: boolean): void => {
    const left = leftOut(node);
    edits.push(...left);
    if (isConstant && ts.isCallExpression(node)) made.add(node.getStart());
    ts.forEachChild(node, (child) => {
      const isLeftOut = left.some(({ from, to }) => from <= child.getStart() && child.end <= to);
      if (!isLeftOut) visit(child, isConstant && !ts.isFunctionLike(child));
    });
  };
  for (const statement of file.statements) visit(statement, ts.isVariableStatement(statement));
  return edited(text, [...edits, ...[...made].map((at) => ({ from: at, to: at, put: pure }))]);
}

/** Tells the bundler that a call does nothing but give a value. */
const pure = '/* @__PURE__ */ ';

type Edit = { readonly from: number; readonly to: number; readonly put: string };

function leftOut(node: ts.Node): readonly Edit[] {
  // `schema.meta({ … })`: the schema stays.
  if (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    node.expression.name.text === 'meta'
  )
    return [{ from: node.expression.expression.end, to: node.end, put: '' }];
  // `contract({ answers: …, … })`
  if (ts.isPropertyAssignment(node) && unread.has(node.name.getText()) && isOfContract(node.parent))
    return [{ from: node.initializer.getStart(), to: node.end, put: 'undefined' }];
  return [];
}

function isOfContract({ parent }: ts.Node): boolean {
  return ts.isCallExpression(parent) && parent.expression.getText() === 'contract';
}

/** As many lines as before. */
function edited(text: string, edits: readonly Edit[]): string {
  let at = 0;
  const parts = edits
    .toSorted((one, other) => one.from - other.from)
    .map(({ from, to, put }) => {
      const before = text.slice(at, from);
      at = to;
      return before + put + text.slice(from, to).replaceAll(/[^\n]/gu, '');
    });
  return parts.join('') + text.slice(at);
}

import ts from 'typescript';
import type { Contract } from '#shared/contract/contract.ts';

/** What of a contract only the API document, the partner's tools and the tests read. */
const unread: ReadonlySet<string> = new Set<keyof Contract>(['answers', 'summary', 'description', 'tag']);

/** A module of contracts without that; a constant that nothing uses may go, too. What stays keeps its line. */
export function withoutDocument(path: string, text: string): string {
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

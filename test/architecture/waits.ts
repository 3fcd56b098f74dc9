import ts from 'typescript';
import type { Source } from './sources.ts';
import { lineOf, nodesOf } from './sources.ts';

type Found = { readonly line: number; readonly text: string };

/** The names under which a file has timers of the machine: its own of `node:timers/promises`, and the global one. */
function timersOf({ tree }: Source): ReadonlySet<string> {
  const own = tree.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) || statement.moduleSpecifier.getText() !== `'node:timers/promises'`)
      return [];
    const bindings = statement.importClause?.namedBindings;
    if (bindings === undefined || !ts.isNamedImports(bindings)) return [];
    return bindings.elements.filter(({ name, propertyName }) => (propertyName ?? name).getText() === 'setTimeout');
  });
  return new Set(['setTimeout', 'globalThis.setTimeout', ...own.map(({ name }) => name.getText())]);
}

/** Whether a node stands in a loop that asks again and again until something has come. */
function isInLoop(node: ts.Node): boolean {
  for (let at = node.parent; !ts.isSourceFile(at); at = at.parent)
    if (ts.isWhileStatement(at) || ts.isDoStatement(at) || ts.isForStatement(at)) return true;
  return false;
}

/** Waits of a file for a time of the machine's clock, those left out that ask again for what must come. */
export function fixedWaits(source: Source): readonly Found[] {
  const timers = timersOf(source);
  return nodesOf(source.tree)
    .filter((node) => ts.isCallExpression(node))
    .filter((call) => timers.has(call.expression.getText()) && !isInLoop(call))
    .map((call) => ({ line: lineOf(call), text: call.getText() }));
}

const loopback = /^[`'"]?https?:\/\/(?:127\.|localhost\b|\[::1\]|[a-z.-]+\.localhost\b|\$\{)/u;

/** Calls by HTTP of a host that is written out and is not this machine. */
export function callsAbroad({ tree }: Source): readonly Found[] {
  return nodesOf(tree)
    .filter((node) => ts.isCallExpression(node))
    .filter(({ expression }) => /^(?:fetch|https?\.(?:get|request))$/u.test(expression.getText()))
    .filter((call) => {
      const [target] = call.arguments;
      return target !== undefined && /^[`'"]https?:/u.test(target.getText()) && !loopback.test(target.getText());
    })
    .map((call) => ({ line: lineOf(call), text: call.getText() }));
}

/** Expectations that a time of the machine's clock is below a number. */
export function deadlines({ tree }: Source): readonly Found[] {
  return nodesOf(tree)
    .filter((node) => ts.isCallExpression(node))
    .filter((call) => /^expect\([^]*\b(?:performance|Date)\.now\(\)[^]*\)\.toBeLess/u.test(call.getText()))
    .map((call) => ({ line: lineOf(call), text: call.getText() }));
}

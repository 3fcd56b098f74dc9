import ts from 'typescript';
import type { Source } from './sources.ts';
import { lineOf } from './sources.ts';

const iterations = ['forEach', 'map', 'flatMap', 'filter', 'every', 'some', 'find', 'reduce'];
/** What gives back as many items as it is given, or is never without any. */
const keepers = ['entries', 'keys', 'values', 'map', 'sort', 'toSorted', 'reverse', 'toReversed', 'fill', 'concat'];

/** A file with the tests and the functions of a name that stand in it, each with its calls. */
type CheckedFile = { readonly tree: ts.SourceFile; readonly units: ReadonlyMap<ts.Node, readonly Call[]> };
type Call = { readonly name: string; readonly node: ts.Node; readonly loop: () => ts.Node | undefined };
/** Functions that check, by name: `sure` ones in every call, others in a loop that may have no turn. */
export type Checkers = ReadonlyMap<string, 'sure' | 'looped'>;

/** Checks of Vitest: others of its `expect` only describe a value. */
const checks = ['poll', 'soft', 'assertions', 'hasAssertions', 'unreachable'];

export function readUnits({ tree }: Source): CheckedFile {
  const units = new Map<ts.Node, Call[]>();
  let known: Constants | undefined;
  const constants = () => (known ??= constantsOf(tree));
  const visit = (node: ts.Node, within: ts.Node | undefined): void => {
    const unit = isUnit(node) ? node : within;
    if (unit === node) units.set(node, []);
    const name = ts.isCallExpression(node) ? calledName(node) : undefined;
    if (unit !== undefined && name !== undefined) {
      let loop: { readonly found: ts.Node | undefined } | undefined;
      const search = () => (loop ??= { found: emptyLoopOf(node, unit, constants) }).found;
      units.get(unit)?.push({ name, node, loop: search });
    }
    ts.forEachChild(node, (child) => {
      visit(child, unit);
    });
  };
  visit(tree, undefined);
  return { tree, units };
}

function calledName({ expression: callee }: ts.CallExpression): string | undefined {
  if (ts.isIdentifier(callee)) return callee.text;
  const isCheck = ts.isPropertyAccessExpression(callee) && checks.includes(callee.name.text);
  return isCheck && callee.expression.getText() === 'expect' ? 'expect' : undefined;
}

/** The functions of a file that check, and those that it imports: by `expect`, or by another one that does. */
export function checkersOf({ units }: CheckedFile, imported: Checkers): Checkers {
  const found = new Map(imported);
  for (let isChanged = true; isChanged;) {
    isChanged = false;
    for (const [node, calls] of units) {
      const own = nameOf(node);
      const strength = own === undefined || found.get(own) === 'sure' ? undefined : strengthOf(calls, found);
      if (own === undefined || strength === undefined || found.get(own) === strength) continue;
      found.set(own, strength);
      isChanged = true;
    }
  }
  return found;
}

function strengthOf(calls: readonly Call[], checkers: Checkers): 'sure' | 'looped' | undefined {
  const checkCalls = calls.filter(({ name }) => checkers.has(name));
  if (checkCalls.some(({ name, loop }) => checkers.get(name) === 'sure' && loop() === undefined)) return 'sure';
  return checkCalls.length === 0 ? undefined : 'looped';
}

/** Tests of a file whose every check stands in a loop that need not have items, by the first of these loops. */
export function emptyLoops(file: CheckedFile, imported: Checkers): readonly Found[] {
  const checkers = checkersOf(file, imported);
  return [...file.units].flatMap(([unit, calls]) => {
    if (nameOf(unit) !== undefined || strengthOf(calls, checkers) !== 'looped') return [];
    const first = calls.find(({ name }) => checkers.has(name));
    const place = first?.loop() ?? first?.node ?? unit;
    return [{ line: lineOf(place), text: place.getText().split('\n')[0] ?? '' }];
  });
}
type Found = { readonly line: number; readonly text: string };

function isUnit(node: ts.Node): boolean {
  if (ts.isFunctionDeclaration(node)) return true;
  if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node)) return false;
  return nameOf(node) !== undefined || (ts.isCallExpression(node.parent) && isTest(node.parent.expression));
}

/** `test`, `it`, `test.each(…)` and the like. */
function isTest(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return callee.text === 'test' || callee.text === 'it';
  return (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) && isTest(callee.expression);
}

function nameOf(node: ts.Node): string | undefined {
  if (ts.isFunctionDeclaration(node)) return node.name?.text;
  const { parent } = node;
  return ts.isVariableDeclaration(parent) && ts.isIdentifier(parent.name) ? parent.name.text : undefined;
}

type Constants = ReadonlyMap<string, readonly (ts.Expression | undefined)[]>;

/** What each name of a file stands for, wherever it is declared: undefined for what is only known when it runs. */
function constantsOf(tree: ts.SourceFile): Constants {
  const found = new Map<string, (ts.Expression | undefined)[]>();
  const visit = (node: ts.Node): void => {
    if (
      (ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node)) &&
      ts.isIdentifier(node.name)
    ) {
      const isConstant =
        ts.isVariableDeclaration(node) &&
        ts.isVariableDeclarationList(node.parent) &&
        (node.parent.flags & ts.NodeFlags.Const) !== 0;
      found.set(node.name.text, [...(found.get(node.name.text) ?? []), isConstant ? node.initializer : undefined]);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** The outermost loop around a check, within its unit, that may have no turn. */
function emptyLoopOf(check: ts.Node, unit: ts.Node, constants: () => Constants): ts.Node | undefined {
  let outermost: ts.Node | undefined;
  for (let node = check; node !== unit; node = node.parent) {
    const { parent } = node;
    if (ts.isForOfStatement(parent) || ts.isForInStatement(parent)) {
      if (node === parent.statement && !hasItems(parent.expression, constants())) outermost = parent;
    } else if (ts.isForStatement(parent)) {
      if (node === parent.statement && !isCounted(parent)) outermost = parent;
    } else if (ts.isWhileStatement(parent)) {
      if (node === parent.statement) outermost = parent;
    } else if (ts.isCallExpression(parent) && parent.arguments.includes(node as ts.Expression)) {
      const callee = parent.expression;
      const isTurn = ts.isPropertyAccessExpression(callee) && iterations.includes(callee.name.text);
      if (isTurn && ts.isFunctionLike(node) && !hasItems(callee.expression, constants())) outermost = parent;
    }
  }
  return outermost;
}

/** Whether a loop counts from one number that is written there to another one, as `for (let n = 0; n < 20; …)`. */
function isCounted({ initializer, condition }: ts.ForStatement): boolean {
  if (condition === undefined) return true;
  if (initializer === undefined || !ts.isVariableDeclarationList(initializer)) return false;
  const from = numberOf(initializer.declarations[0]?.initializer);
  const to = ts.isBinaryExpression(condition) ? numberOf(condition.right) : undefined;
  return from !== undefined && to !== undefined && from !== to;
}

function numberOf(node: ts.Expression | undefined): number | undefined {
  return node !== undefined && ts.isNumericLiteral(node) ? Number(node.text) : undefined;
}

/** Whether it can be seen that a list has items. */
function hasItems(node: ts.Expression, known: Constants): boolean {
  const inner = (next: ts.Expression): boolean => hasItems(next, known);
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node))
    return inner(node.expression);
  if (ts.isAwaitExpression(node)) return inner(node.expression);
  if (ts.isStringLiteralLike(node)) return node.text !== '';
  if (ts.isArrayLiteralExpression(node))
    return node.elements.some((element) => !ts.isSpreadElement(element) || inner(element.expression));
  if (ts.isObjectLiteralExpression(node))
    return node.properties.some((property) => !ts.isSpreadAssignment(property) || inner(property.expression));
  if (ts.isConditionalExpression(node)) return inner(node.whenTrue) && inner(node.whenFalse);
  if (ts.isIdentifier(node)) {
    const meanings = known.get(node.text) ?? [];
    if (meanings.length === 0 || meanings.includes(undefined)) return false;
    return meanings.every((meaning) => meaning !== undefined && inner(meaning));
  }
  if (ts.isNewExpression(node))
    return ['Set', 'Map'].includes(node.expression.getText()) && (node.arguments ?? []).some(inner);
  return ts.isCallExpression(node) && givesItems(node, inner);
}

function givesItems(
  { expression: callee, arguments: given }: ts.CallExpression,
  inner: (node: ts.Expression) => boolean,
): boolean {
  const [first] = given;
  if (ts.isIdentifier(callee) && callee.text === 'each') return true;
  if (ts.isIdentifier(callee) && callee.text === 'Array') return (numberOf(first) ?? 0) > 0;
  if (!ts.isPropertyAccessExpression(callee)) return false;
  const owner = callee.expression.getText();
  if (owner === 'Object' || (owner === 'Promise' && callee.name.text === 'all'))
    return first !== undefined && inner(first);
  if (owner === 'Array' && callee.name.text === 'from') return first !== undefined && (isLong(first) || inner(first));
  return keepers.includes(callee.name.text) && inner(callee.expression);
}

/** `{ length: 20 }` */
function isLong(node: ts.Expression): boolean {
  if (!ts.isObjectLiteralExpression(node)) return false;
  return node.properties.some(
    (property) =>
      ts.isPropertyAssignment(property) &&
      property.name.getText() === 'length' &&
      (numberOf(property.initializer) ?? 0) > 0,
  );
}

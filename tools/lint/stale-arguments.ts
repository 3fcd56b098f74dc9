import type { Rule, Scope } from 'eslint';

/**
 * Rejects `change(cursor, await read())` where another function may set `cursor`: the call gets the value from before
 * the wait. The same holds for elements of arrays and fields of objects.
 */
export const staleArguments: Rule.RuleModule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      stale:
        'Another function may set {{name}} during the await that follows, so this argument may be stale: await first.',
    },
  },
  create: (context) => ({
    AwaitExpression: (node: Rule.Node) => {
      for (const { from, to, scope } of readBefore(node, context.sourceCode))
        for (const reference of scope.references) {
          const { range, name } = reference.identifier;
          const isBefore = range !== undefined && range[0] >= from && range[1] <= to;
          if (isBefore && reference.isRead() && maySetMeanwhile(reference))
            context.report({ node: reference.identifier, messageId: 'stale', data: { name } });
        }
    },
  }),
};

type Stretch = { readonly from: number; readonly to: number; readonly scope: Scope.Scope };

/** Returns the code before the await in each list of arguments, elements or fields around it, within its function. */
function readBefore(node: Rule.Node, source: Rule.RuleContext['sourceCode']): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let child = node;
  for (let parent: Rule.Node | null = node.parent; parent !== null && !isFunction(parent); parent = parent.parent) {
    const [first] = listIn(parent);
    if (first?.range !== undefined && child.range !== undefined)
      stretches.push({ from: first.range[0], to: child.range[0], scope: source.getScope(parent) });
    child = parent;
  }
  return stretches;
}

function isFunction({ type }: Rule.Node): boolean {
  return type.includes('Function');
}

function listIn(node: Rule.Node) {
  if (node.type === 'CallExpression' || node.type === 'NewExpression') return node.arguments;
  if (node.type === 'ArrayExpression') return node.elements;
  return node.type === 'ObjectExpression' ? node.properties : [];
}

/** Whether a variable may change during the await: it may not when only the waiting function declares and sets it. */
function maySetMeanwhile({ resolved, from }: Scope.Reference): boolean {
  if (resolved === null) return false;
  const here = from.variableScope;
  const writers = resolved.references.filter((reference) => reference.isWrite() && reference.init !== true);
  return writers.some((writer) => writer.from.variableScope !== here || resolved.scope.variableScope !== here);
}

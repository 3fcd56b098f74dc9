import type { RouteModel } from './api-model.ts';

/** A request's route and the path parameters as sent (still percent-encoded). */
export type Match = {
  readonly route: RouteModel;
  readonly parameters: Readonly<Record<string, string>>;
};

type Node = {
  readonly fixed: Map<string, Node>;
  readonly methods: Map<string, RouteModel>;
  parameter?: { readonly name: string; readonly node: Node };
  greedy?: { readonly name: string; readonly node: Node };
};

/**
 * Finds the route of a method and a raw path: fixed segments before `{parameters}` before `{proxy+}`, a method before
 * `ANY`. As in API Gateway a known path with another method matches nothing.
 */
export function createRouter(routes: readonly RouteModel[]): (method: string, path: string) => Match | undefined {
  const root = emptyNode();
  for (const route of routes) insert(root, route);
  return (method, path) => {
    const segments = path === '/' ? [] : path.slice(1).split('/');
    return search(root, segments, method, {});
  };
}

const emptyNode = (): Node => ({ fixed: new Map(), methods: new Map() });

function insert(root: Node, route: RouteModel): void {
  let node = root;
  for (const segment of route.resourcePath.split('/').filter((part) => part !== '')) {
    const [, name, plus] = /^\{([^}+]+)(\+)?\}$/.exec(segment) ?? [];
    if (name === undefined) {
      const next = node.fixed.get(segment) ?? emptyNode();
      node.fixed.set(segment, next);
      node = next;
    } else if (plus === undefined) {
      node.parameter ??= { name, node: emptyNode() };
      node = node.parameter.node;
    } else {
      node.greedy ??= { name, node: emptyNode() };
      node = node.greedy.node;
    }
  }
  node.methods.set(route.method, route);
}

function search(
  node: Node,
  segments: readonly string[],
  method: string,
  parameters: Readonly<Record<string, string>>,
): Match | undefined {
  const [segment, ...rest] = segments;
  if (segment === undefined) {
    const route = node.methods.get(method) ?? node.methods.get('ANY');
    return route && { route, parameters };
  }
  const fixed = node.fixed.get(segment);
  const found = fixed && search(fixed, rest, method, parameters);
  if (found || segment === '') return found;
  const { parameter, greedy } = node;
  const one = parameter && search(parameter.node, rest, method, { ...parameters, [parameter.name]: segment });
  return one ?? (greedy && search(greedy.node, [], method, { ...parameters, [greedy.name]: segments.join('/') }));
}

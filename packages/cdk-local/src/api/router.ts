import type { RouteModel } from './api-model.ts';

/** A request's route and the path parameters as sent (still percent-encoded). */
export type Match = {
  readonly route: RouteModel;
  readonly parameters: Readonly<Record<string, string>>;
};

/**
 * Returns a function that finds the route of a method and a raw path. As in API Gateway, the path alone names the
 * resource, and a fixed segment takes precedence over a parameter: a method that this resource lacks has no route, even
 * if a resource with a parameter there has it.
 */
export function createRouter(routes: readonly RouteModel[]): (method: string, path: string) => Match | undefined {
  const resources = [...Map.groupBy(routes, ({ resourcePath }) => resourcePath)]
    .map(([path, ofResource]) => ({ ofResource, pattern: path.slice(1).split('/') }))
    .sort((a, b) => precedence(a.pattern).localeCompare(precedence(b.pattern)));
  return (method, path) => {
    const segments = path.slice(1).split('/');
    for (const { ofResource, pattern } of resources) {
      const parameters = readParameters(pattern, segments);
      if (parameters === undefined) continue;
      const route = ofResource.find((one) => one.method === method);
      return route && { route, parameters };
    }
    return undefined;
  };
}

const isParameter = (segment: string): boolean => segment.startsWith('{');

/** Returns the sort key of a pattern: a fixed segment sorts before a parameter, and the first difference decides. */
const precedence = (pattern: readonly string[]): string =>
  pattern.map((segment) => (isParameter(segment) ? '1' : '0')).join('');

/** The parameters of a path; undefined where it does not match. A parameter is never empty. */
function readParameters(pattern: readonly string[], path: readonly string[]): Match['parameters'] | undefined {
  const matches =
    pattern.length === path.length &&
    pattern.every((segment, at) => (isParameter(segment) ? path[at] !== '' : path[at] === segment));
  if (!matches) return undefined;
  const entries = pattern.flatMap((segment, at) => (isParameter(segment) ? [[segment.slice(1, -1), path[at]]] : []));
  return Object.fromEntries(entries) as Match['parameters'];
}

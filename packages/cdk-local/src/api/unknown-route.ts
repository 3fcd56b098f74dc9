import type { RouteModel } from './api-model.ts';
import type { GatewayRequest, HttpResponse } from './request.ts';
import { createRouter } from './router.ts';

/** Maximum number of routes that the response names. */
const namedAtMost = 2;
/** Longer paths are compared by their beginning. */
const comparedCharacters = 200;

/**
 * Adds help for developers to the response to an unknown route. API Gateway has one fixed text; the local gateway also
 * names the methods of the path, with `Allow`, or else the most similar routes. A body without a message does not
 * change.
 */
export function withRoutes(
  response: HttpResponse,
  routes: readonly RouteModel[],
  { path }: Pick<GatewayRequest, 'path'>,
): HttpResponse {
  const body = JSON.parse(response.body.toString('utf8')) as { readonly message?: unknown };
  if (typeof body.message !== 'string' || routes.length === 0) return response;
  const methods = methodsOf(routes, path);
  const nearest = nearestRoutes(routes, path).map(({ method, resourcePath }) => `${method} ${resourcePath}`);
  const help =
    methods.length > 0
      ? `This path supports ${methods.join(', ')}.`
      : `The most similar routes: ${nearest.join(', ')}.`;
  return {
    ...response,
    headers: { ...response.headers, ...(methods.length > 0 && { Allow: methods.join(', ') }) },
    body: Buffer.from(JSON.stringify({ ...body, message: `${body.message} ${help}` })),
  };
}

function methodsOf(routes: readonly RouteModel[], path: string): readonly string[] {
  const find = createRouter(routes);
  return [...new Set(routes.map(({ method }) => method))].filter((method) => find(method, path) !== undefined).sort();
}

/** Returns the routes that differ from the path in the fewest characters. Segments at parameters count as equal. */
function nearestRoutes(routes: readonly RouteModel[], path: string): readonly RouteModel[] {
  const sent = path.slice(0, comparedCharacters);
  const segments = sent.split('/');
  return routes
    .map((route) => ({ route, apart: distance(sent, filled(route.resourcePath, segments)) }))
    .sort((a, b) => a.apart - b.apart)
    .slice(0, namedAtMost)
    .map(({ route }) => route);
}

/** Returns a route's path with its parameters replaced by the segments of a request. */
function filled(resourcePath: string, segments: readonly string[]): string {
  return resourcePath
    .split('/')
    .map((segment, at) => (segment.startsWith('{') ? (segments[at] ?? segment) : segment))
    .join('/');
}

/** Returns how many characters must be inserted, deleted or replaced (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let at = 0; at < from.length; at += 1) {
    const next = [at + 1];
    for (let column = 0; column < to.length; column += 1) {
      const replaced = (row[column] ?? 0) + (from[at] === to[column] ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** An operation at a method and path; segments that begin with a colon are parameters. */
type Routed = { readonly method: string; readonly path: string };

/** Opens the routes of a bank's operations. Returns the operation of a request, with its decoded parameters. */
export function openRoutes<T extends Routed>(operations: readonly T[]) {
  const routes = operations.map((operation) => ({
    operation,
    pattern: new RegExp(`^${operation.path.replaceAll(/:(\w+)/gu, '(?<$1>[^/]+)')}$`, 'u'),
  }));
  return (
    method: string,
    path: string,
  ): { readonly operation: T; readonly params: Readonly<Record<string, string>> } | undefined => {
    for (const { operation, pattern } of routes) {
      const match = operation.method === method ? pattern.exec(path) : null;
      if (match === null) continue;
      const params = Object.entries(match.groups ?? {}).map(
        ([name, text]) => [name, decodeURIComponent(text)] as const,
      );
      return { operation, params: Object.fromEntries(params) };
    }
    return undefined;
  };
}

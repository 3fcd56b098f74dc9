import type { CallKind } from '#shared/bank/calls/bank-calls.ts';

type Call = { readonly method: string; readonly path: string };

/** The fixed segments of the paths. Every other segment is an id or a key. */
const segments = new Set(['account', 'pix_key', 'pix_transfer', 'pix_transfers', 'reversal', 'ted', 'teds', 'test']);

/** Returns the operation of a call, such as `POST /account/ted`, without ids, keys and query. */
export function operationOf({ method, path }: Call): string {
  const [plain = ''] = path.split('?', 1);
  const known = plain.split('/').filter((segment) => segments.has(segment));
  return `${method} /${known.join('/')}`;
}

/** Returns the kind of a call that the bank limits separately; undefined for a call under the bank's common limit. */
export function kindOf({ path }: Call): CallKind | undefined {
  if (path.startsWith('/pix_key/')) return 'LOOKUP';
  return /[?&]date_from=/u.test(path) ? 'LIST' : undefined;
}

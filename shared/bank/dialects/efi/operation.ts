import type { CallKind } from '#shared/bank/calls/bank-calls.ts';

type Call = { readonly method: string; readonly path: string };

/** The fixed segments of the paths of API Pix and Efí. Every other segment is an id or a key. */
const segments = new Set([
  ...['v2', 'v3', 'gn', 'pix', 'cob', 'cobr', 'rec', 'locrec', 'devolucao', 'enviados', 'id-envio', 'qrcode'],
  ...['qrcodes', 'detalhar', 'saldo', 'webhook', 'webhookrec', 'webhookcobr', 'retentativa'],
  ...['infracoes', 'defesa'],
]);

/** Returns the operation of a call, such as `PUT /v3/gn/pix`, without ids, keys and query. */
export function operationOf({ method, path }: Call): string {
  const [plain = ''] = path.split('?', 1);
  const known = plain.split('/').filter((segment) => segments.has(segment));
  return `${method} /${known.join('/')}`;
}

/** Returns the kind of a call that the bank limits separately; undefined for a call under the bank's common limit. */
export function kindOf({ method, path }: Call): CallKind | undefined {
  if (path.endsWith('/qrcodes/detalhar')) return 'LOOKUP';
  return method === 'GET' && /[?&]inicio=/u.test(path) ? 'LIST' : undefined;
}

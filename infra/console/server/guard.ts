import type { IncomingMessage } from 'node:http';

const loopback = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Why a request is not the console's own page talking to it; undefined when it is. The host keeps away other names for
 * this machine (DNS rebinding), the origin other pages in the same browser.
 */
export function foreignRequest({ headers, method, socket }: IncomingMessage): string | undefined {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  const [, name = '', port = '80'] = /^(.+?)(?::(\d+))?$/u.exec(host) ?? [];
  if (!loopback.has(name) || Number(port) !== socket.localPort)
    return 'The console answers at the loopback address of this machine alone, as http://127.0.0.1.';
  const own = `http://${host}`;
  if (origin === undefined ? method !== 'GET' : origin !== own) return 'Only the page of the console may call it.';
  if (site !== undefined && site !== 'same-origin' && !(site === 'none' && method === 'GET'))
    return 'Only the page of the console may call it; open it by its address.';
  return undefined;
}

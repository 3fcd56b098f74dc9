import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { checkSameOrigin } from '#console/server/http.ts';

function request(method: string, headers: Readonly<Record<string, string>>, localPort = 3000): IncomingMessage {
  return { method, headers, socket: { localPort } } as unknown as IncomingMessage;
}

const own = { host: '127.0.0.1:3000', origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-origin' };

test.each<[string, string, Record<string, string>]>([
  ['its page', 'POST', own],
  ['its page by another name of the loopback', 'POST', { host: 'localhost:3000', origin: 'http://localhost:3000' }],
  ['its page by the address of IPv6', 'POST', { host: '[::1]:3000', origin: 'http://[::1]:3000' }],
  ['somebody who types its address', 'GET', { host: '127.0.0.1:3000', 'sec-fetch-site': 'none' }],
])('%s is let in', (_who, method, headers) => {
  expect(checkSameOrigin(request(method, headers))).toBeUndefined();
});

test.each<[string, string, Record<string, string>]>([
  ['a name that leads here', 'GET', { host: 'attacker.example:3000' }],
  ['another port', 'GET', { host: '127.0.0.1:3001' }],
  ['no host', 'GET', {}],
  ['another origin', 'POST', { ...own, origin: 'https://attacker.example' }],
  ['another port as origin', 'POST', { ...own, origin: 'http://127.0.0.1:8080' }],
  ['an origin that hides', 'POST', { ...own, origin: 'null' }],
  ['a write without an origin', 'POST', { host: '127.0.0.1:3000' }],
  ['a write from another page', 'POST', { ...own, 'sec-fetch-site': 'cross-site' }],
  ['a picture on another page', 'GET', { host: '127.0.0.1:3000', 'sec-fetch-site': 'cross-site' }],
])('%s is kept out', (_who, method, headers) => {
  expect(checkSameOrigin(request(method, headers))).toMatch(/^(Only the page|The console responds only at)/u);
});

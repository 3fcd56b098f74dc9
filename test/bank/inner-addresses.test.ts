import { afterEach, expect, test, vi } from 'vitest';
import { exchanges } from '#shared/bank/calls/exchange.ts';
import { bankJson } from '#shared/bank/dialects/efi/bank-json.ts';
import { certificate, privateKey } from './bank-certificate.ts';
import type { ScriptedBank } from './scripted-bank.ts';
import { scriptedBank } from './scripted-bank.ts';

let server: ScriptedBank | undefined;
afterEach(() => {
  vi.restoreAllMocks();
  server?.close();
});
const identity = { certificate, key: privateKey, authorities: certificate };

test('a name that leads to an inner address gets no connection, at each connection anew', async () => {
  server = await scriptedBank(() => ({ status: 200, body: {} }));
  const url = `${server.apiUrl.replace('127.0.0.1', 'localhost')}/v2/cob/1`;
  const call = { method: 'GET', url, headers: {}, signal: AbortSignal.timeout(5000) } as const;
  const resolved: string[] = [];
  const resolve = (host: string) => {
    resolved.push(host);
    return Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
  };
  const guarded = exchanges(identity, { parse: bankJson, resolve });
  for (let calls = 1; calls <= 2; calls += 1) {
    expect(await guarded(call)).toEqual({
      ...{ status: 'NOT_CONNECTED', isAccess: true },
      cause: 'Cannot connect to the bank: ForbiddenTarget.',
    });
    expect(resolved).toHaveLength(calls);
  }
  expect(server.counts.handshakes).toBe(0);
  expect(await exchanges(identity, { parse: bankJson, allowLocal: true, resolve })(call)).toMatchObject({
    status: 401,
  });
  expect(resolved).toHaveLength(2);
});

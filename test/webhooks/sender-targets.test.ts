import type { RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, isIP } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { sender } from '#shared/webhooks/dispatch/sender.ts';
import type { ResolvedAddress } from '#shared/platform/target-guard.ts';
import { isForbiddenAddress } from '#shared/platform/target-guard.ts';
import { certificate, privateKey } from './receiver-certificate.ts';
import { closeReceivers, listening, listeningAt, options, post, receiver, sockets, status } from './receivers.ts';

afterEach(closeReceivers);

describe('a call over TLS', () => {
  const secure = (response: RequestListener): Promise<number> => {
    return listening(createHttpsServer({ cert: certificate, key: privateKey }, response));
  };

  it('checks the certificate for the registered name', async () => {
    let name: string | undefined;
    const port = await secure((request, response) => {
      name = request.headers.host;
      response.end('{"returnCode":"SUCCESS"}');
    });
    const result = await post(`https://receiver.example:${port}/`);
    expect(result).toMatchObject({ outcome: 'DELIVERED', httpStatus: 200, returnCode: 'SUCCESS' });
    expect(name).toBe(`receiver.example:${port}`);
  });

  it('names the host in the handshake, but never an address, and speaks HTTP/1.1 only', async () => {
    const seen: unknown[] = [];
    const ALPNCallback = (offered: unknown): string => {
      seen.push(offered);
      return 'http/1.1';
    };
    const port = await listening(createHttpsServer({ cert: certificate, key: privateKey, ALPNCallback }, status(200)));
    expect(await post(`https://receiver.example:${port}/`)).toMatchObject({ outcome: 'DELIVERED' });
    await post(`https://127.0.0.1:${port}/`);
    expect(seen).toEqual([
      { servername: 'receiver.example', protocols: ['http/1.1'] },
      { servername: false, protocols: ['http/1.1'] },
    ]);
  });

  it.each([
    ['the certificate is of another name', 'https://another.example', { authorities: certificate }],
    ['the certificate has no address and the URL has one', 'https://127.0.0.1', { authorities: certificate }],
    ['no known authority signed the certificate', 'https://receiver.example', {}],
  ])('fails when %s', async (_case, origin, trust) => {
    const { authorities: _, ...rest } = options;
    const port = await secure(status(200));
    const result = await sender({ ...rest, ...trust })({ endpoint: `${origin}:${port}/`, headers: {}, body: '{}' });
    expect(result).toMatchObject({ outcome: 'FAILED', error: 'TLS' });
  });

  it.each([
    ['a response', status(200), 'DELIVERED'],
    ['a response that never ends', (_: unknown, response) => void response.writeHead(200).write('x'), 'DELIVERED'],
    ['no response', () => undefined, 'FAILED'],
  ] satisfies [string, RequestListener, string][])(
    'leaves no connection open after %s',
    async (_case, response, outcome) => {
      const port = await secure(response);
      expect(await post(`https://receiver.example:${port}/`, { deadlineMs: 200 })).toMatchObject({ outcome });
      await expect.poll(() => [...sockets].map(({ destroyed }) => destroyed)).toEqual([true]);
    },
  );

  it('fails when the receiver speaks plain HTTP', async () => {
    const port = await receiver(status(200));
    expect(await post(`https://receiver.example:${port}/`)).toMatchObject({ outcome: 'FAILED', error: 'TLS' });
  });
});

describe('a target that must not be called', () => {
  const production = { allowLocal: false };
  /** Public by its text, and of no host: the network of 6bone went back to IANA (RFC 3701). */
  const publicAddress = '3ffe::1';

  it('is not called though its name led elsewhere when it was registered', async () => {
    let calls = 0;
    const port = await receiver((_request, response) => {
      calls += 1;
      response.end();
    });
    expect(isForbiddenAddress(publicAddress, production)).toBe(false);
    for (const addresses of [['127.0.0.1'], [publicAddress, '10.0.0.1'], ['169.254.169.254']]) {
      const resolve = () => Promise.resolve(addresses.map((address) => ({ address, family: isIP(address) })));
      const result = await post('https://partner.example/', { rules: production, resolve });
      expect(result).toMatchObject({ outcome: 'FAILED', error: 'FORBIDDEN_TARGET' });
    }
    for (const host of ['127.0.0.1', '[::1]', '2130706433', 'localhost'])
      expect(await post(`http://${host}:${port}/`, { rules: production })).toMatchObject({ error: 'FORBIDDEN_TARGET' });
    expect(calls).toBe(0);
  });

  it('is not written to if the socket leads there all the same', async () => {
    // The second look at the very same address gives another one, as no resolver does: nothing but the socket's own
    // address is left to notice it. The port is the one that production allows.
    let bytes = 0;
    const server = createTcpServer((socket) => void socket.on('data', (chunk) => (bytes += chunk.byteLength)));
    const own = await listeningAt(server, 8443);
    let looks = 0;
    const turning: ResolvedAddress = {
      family: 4,
      get address() {
        looks += 1;
        return looks === 1 ? publicAddress : own;
      },
    };
    const resolve = () => Promise.resolve([turning]);
    // The deadline, which closes the socket too, is far away.
    const patient = { rules: production, resolve, deadlineMs: 60_000 };
    const result = await post('https://receiver.example:8443/', patient);
    expect(result).toMatchObject({ outcome: 'FAILED', error: 'FORBIDDEN_TARGET' });
    // Once the connection is closed, no byte can come any more.
    await expect.poll(() => [...sockets].map(({ destroyed }) => destroyed)).toEqual([true]);
    expect(bytes).toBe(0);
  });

  it('is asked for once a connection, so that a second answer cannot lead elsewhere', async () => {
    let asked = 0;
    const port = await receiver(status(200));
    const resolve = () => {
      asked += 1;
      return Promise.resolve([{ address: asked === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }]);
    };
    expect(await post(`http://partner.example:${port}/`, { resolve })).toMatchObject({ outcome: 'DELIVERED' });
    expect(await post(`http://partner.example:${port}/`, { resolve })).toMatchObject({ error: 'FORBIDDEN_TARGET' });
    expect(asked).toBe(2);
  });

  it('is reached at the next address when the first one does not answer', async () => {
    const port = await receiver(status(200));
    const resolve = () =>
      Promise.resolve([
        { address: '::1', family: 6 },
        { address: '127.0.0.1', family: 4 },
      ]);
    expect(await post(`http://partner.example:${port}/`, { resolve })).toMatchObject({ outcome: 'DELIVERED' });
  });
});

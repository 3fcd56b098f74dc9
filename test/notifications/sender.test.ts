import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { OutgoingCall, SenderOptions } from '../../shared/notifications/sender.ts';
import { sender } from '../../shared/notifications/sender.ts';
import type { ResolvedAddress } from '../../shared/notifications/target-guard.ts';
import { certificate, privateKey } from './receiver-certificate.ts';

const open: Server[] = [];
const sockets = new Set<Socket>();

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of open.splice(0)) server.close();
});

const loopback = (): Promise<ResolvedAddress[]> => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
const options: SenderOptions = {
  rules: { allowLocal: true },
  resolve: loopback,
  deadlineMs: 500,
  authorities: certificate,
};

async function listening(server: Server): Promise<number> {
  open.push(server);
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const receiver = async (answer: RequestListener): Promise<number> => listening(createHttpServer(answer));
const status = (code: number, body = '', headers: Record<string, string> = {}): RequestListener => {
  return (_request, response) => void response.writeHead(code, headers).end(body);
};

function post(endpoint: string, more: Partial<SenderOptions> = {}, call: Partial<OutgoingCall> = {}) {
  return sender({ ...options, ...more })({ endpoint, headers: { 'x-test': '1' }, body: '{"a":"é"}', ...call });
}

async function bytesOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

describe('a call of a receiver', () => {
  it('posts the very bytes and headers to path and query', async () => {
    let seen: unknown;
    const port = await receiver((request, response) => {
      void bytesOf(request).then((body) => {
        const { host, 'x-test': test, 'content-length': length } = request.headers;
        seen = { method: request.method, url: request.url, host, test, length, body };
        response.end();
      });
    });
    expect(await post(`http://127.0.0.1:${port}/hooks?tenant=7`)).toMatchObject({
      outcome: 'DELIVERED',
      httpStatus: 200,
    });
    const expected = { method: 'POST', url: '/hooks?tenant=7', host: `127.0.0.1:${port}`, test: '1', length: '10' };
    expect(seen).toEqual({ ...expected, body: '{"a":"é"}' });
  });

  it.each([200, 201, 202, 204, 299])('is acknowledged by %i', async (code) => {
    const port = await receiver(status(code));
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ outcome: 'DELIVERED', httpStatus: code });
  });

  it.each([400, 401, 404, 410, 429, 500, 503])('has failed with %i', async (code) => {
    const port = await receiver(status(code, '{"returnCode":"SUCCESS"}'));
    const result = await post(`http://127.0.0.1:${port}/`);
    expect(result).toEqual({ outcome: 'FAILED', httpStatus: code, error: 'STATUS', durationMs: expect.any(Number) });
  });

  it.each([300, 301, 302, 303, 307, 308])('does not follow %i', async (code) => {
    let calls = 0;
    const port = await receiver((_request, response) => {
      calls += 1;
      response.writeHead(code, { location: '/elsewhere' }).end();
    });
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({
      outcome: 'FAILED',
      httpStatus: code,
      error: 'REDIRECT',
    });
    expect(calls).toBe(1);
  });

  it('keeps the return code of an answer, if it is short and printable', async () => {
    const codeOf = async (body: string): Promise<unknown> => {
      const port = await receiver(status(200, body));
      return (await post(`http://127.0.0.1:${port}/`)).returnCode;
    };
    expect(await codeOf('{"returnCode":"SUCCESS"}')).toBe('SUCCESS');
    expect(await codeOf(`{"returnCode":"${'x'.repeat(65)}"}`)).toBeUndefined();
    expect(await codeOf('{"returnCode":"a\\u0000b"}')).toBeUndefined();
    expect(await codeOf('{"returnCode":1}')).toBeUndefined();
    expect(await codeOf('<html>')).toBeUndefined();
    expect(await codeOf('null')).toBeUndefined();
  });

  it('reads no more than 4 KiB of an endless answer', async () => {
    let written = 0;
    const port = await receiver((_request, response) => {
      response.writeHead(200);
      const more = (): void => {
        if (response.destroyed || written > 50_000_000) return;
        written += 65_536;
        response.write('x'.repeat(65_536), () => setImmediate(more));
      };
      more();
    });
    expect(await post(`http://127.0.0.1:${port}/`, { deadlineMs: 5000 })).toMatchObject({ outcome: 'DELIVERED' });
    expect(written).toBeLessThan(50_000_000);
  });

  it('is acknowledged by its status, even if the body breaks off or never ends', async () => {
    const breaking = await receiver((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setTimeout(() => response.destroy(), 20);
    });
    expect(await post(`http://127.0.0.1:${breaking}/`)).toMatchObject({ outcome: 'DELIVERED', httpStatus: 200 });
    const endless = await receiver((_request, response) => void response.writeHead(200).write('x'));
    expect(await post(`http://127.0.0.1:${endless}/`)).toMatchObject({ outcome: 'DELIVERED', httpStatus: 200 });
  });

  it('uses a connection of its own, and leaves none open', async () => {
    const port = await receiver(status(200));
    const before = sockets.size;
    for (let calls = 0; calls < 3; calls += 1) await post(`http://127.0.0.1:${port}/`);
    await sleep(20);
    const own = [...sockets].slice(before);
    expect(own.map((socket) => socket.destroyed)).toEqual([true, true, true]);
  });
});

describe('a call that fails', () => {
  const failing = async (endpoint: string, more: Partial<SenderOptions> = {}): Promise<unknown> => {
    const { outcome, error, httpStatus } = await post(endpoint, more);
    return { outcome, error, httpStatus };
  };
  const failed = (error: string) => ({ outcome: 'FAILED', error, httpStatus: undefined });
  const system = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

  it('says that the name is unknown', async () => {
    const endpoint = 'https://partner.example/';
    expect(await failing(endpoint, { resolve: system('ENOTFOUND') })).toEqual(failed('DNS'));
    expect(await failing(endpoint, { resolve: system('EAI_AGAIN') })).toEqual(failed('DNS'));
    expect(await failing(endpoint, { resolve: () => Promise.resolve([]) })).toEqual(failed('DNS'));
  });

  it('says that nobody listens', async () => {
    const port = await receiver(status(200));
    await new Promise((closed) => open.splice(0)[0]?.close(closed));
    expect(await failing(`http://127.0.0.1:${port}/`)).toEqual(failed('CONNECTION_REFUSED'));
  });

  it('says that the connection was reset before the answer', async () => {
    const port = await listening(createTcpServer((socket) => void socket.once('data', () => socket.resetAndDestroy())));
    expect(await failing(`http://127.0.0.1:${port}/`)).toEqual(failed('CONNECTION_RESET'));
    const silent = await listening(createTcpServer((socket) => void socket.once('data', () => socket.end())));
    expect(await failing(`http://127.0.0.1:${silent}/`)).toEqual(failed('CONNECTION_RESET'));
  });

  it('says that the answer is not HTTP', async () => {
    const port = await listening(
      createTcpServer((socket) => void socket.once('data', () => socket.end('SSH-2.0-x\r\n\r\n'))),
    );
    expect(await failing(`http://127.0.0.1:${port}/`)).toEqual(failed('INVALID_RESPONSE'));
  });

  it('ends when a receiver switches protocols', async () => {
    const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n';
    const port = await listening(createTcpServer((socket) => void socket.once('data', () => socket.write(upgrade))));
    expect(await failing(`http://127.0.0.1:${port}/`)).toEqual(failed('INVALID_RESPONSE'));
  });

  it('ends at the deadline, whatever the receiver is slow at', async () => {
    const silent = await listening(createTcpServer(() => undefined));
    const dripping = await listening(
      createTcpServer((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const timer = setInterval(() => socket.write('x-drip: 1\r\n'), 20);
        socket.on('close', () => {
          clearInterval(timer);
        });
        socket.on('error', () => undefined);
      }),
    );
    const slow = { deadlineMs: 150 };
    const never = () => new Promise<ResolvedAddress[]>(() => undefined);
    const cases = [
      failing(`http://127.0.0.1:${silent}/`, slow),
      failing(`https://receiver.example:${silent}/`, slow),
      failing(`http://127.0.0.1:${dripping}/`, slow),
      failing('https://partner.example/', { ...slow, resolve: never }),
    ];
    const startedMs = performance.now();
    for (const result of await Promise.all(cases)) expect(result).toEqual(failed('TIMEOUT'));
    expect(performance.now() - startedMs).toBeLessThan(1000);
  });
});

describe('a call over TLS', () => {
  const secure = (answer: RequestListener): Promise<number> => {
    return listening(createHttpsServer({ cert: certificate, key: privateKey }, answer));
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

  it.each([
    ['the certificate is of another name', 'https://another.example', { authorities: certificate }],
    ['the certificate is of no name for an address', 'https://127.0.0.1', { authorities: certificate }],
    ['nobody vouches for the certificate', 'https://receiver.example', {}],
  ])('fails when %s', async (_case, origin, trust) => {
    const { authorities: _, ...rest } = options;
    const port = await secure(status(200));
    const result = await sender({ ...rest, ...trust })({ endpoint: `${origin}:${port}/`, headers: {}, body: '{}' });
    expect(result).toMatchObject({ outcome: 'FAILED', error: 'TLS' });
  });

  it('fails when the receiver speaks plain HTTP', async () => {
    const port = await receiver(status(200));
    expect(await post(`https://receiver.example:${port}/`)).toMatchObject({ outcome: 'FAILED', error: 'TLS' });
  });
});

describe('a target that must not be called', () => {
  const production = { allowLocal: false };

  it('is not called though its name led elsewhere when it was registered', async () => {
    let calls = 0;
    const port = await receiver((_request, response) => {
      calls += 1;
      response.end();
    });
    const answers = [['93.184.216.34'], ['127.0.0.1'], ['93.184.216.34', '10.0.0.1'], ['169.254.169.254']];
    for (const addresses of answers.slice(1)) {
      const resolve = () => Promise.resolve(addresses.map((address) => ({ address, family: 4 })));
      const result = await post('https://partner.example/', { rules: production, resolve });
      expect(result).toMatchObject({ outcome: 'FAILED', error: 'FORBIDDEN_TARGET' });
    }
    for (const host of ['127.0.0.1', '[::1]', '2130706433', 'localhost'])
      expect(await post(`http://${host}:${port}/`, { rules: production })).toMatchObject({ error: 'FORBIDDEN_TARGET' });
    expect(calls).toBe(0);
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

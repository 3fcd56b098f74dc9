import type { IncomingMessage } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { SenderOptions } from '#shared/webhooks/dispatch/sender.ts';
import type { ResolvedAddress } from '#shared/platform/target-guard.ts';
import { closeReceivers, listening, open, post, receiver, sockets, status } from './receivers.ts';

afterEach(closeReceivers);

async function bytesOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

describe('a call of a receiver', () => {
  it('is delivered by a 2xx with a head of 200 KiB, many cookies or long policies', async () => {
    const large = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`x-policy-${at}`, 'x'.repeat(4096)]));
    const port = await receiver(status(200, '{"returnCode":"OK"}', large));
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ outcome: 'DELIVERED', httpStatus: 200 });
  });

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

  it.each([400, 401, 404, 410, 429, 500, 503])('fails when the response is %i', async (code) => {
    const port = await receiver(status(code, '{"returnCode":"SUCCESS"}'));
    const result = await post(`http://127.0.0.1:${port}/`);
    expect(result).toEqual({ outcome: 'FAILED', httpStatus: code, error: 'STATUS', durationMs: expect.any(Number) });
  });

  it.each([300, 301, 302, 303, 307, 308])('does not follow the redirect %i', async (code) => {
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

  it.each([
    ['204 with bytes after its headers', 'HTTP/1.1 204 No Content\r\n\r\n{"a":1}'],
    ['204 with a length', 'HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n{"a":1}'],
    ['a body longer than its length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{"a":1}'],
    ['a body shorter than its length', 'HTTP/1.1 200 OK\r\nContent-Length: 700\r\n\r\n{"a":1}'],
    ['a length beside chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a broken chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{"a":1}\r\n0\r\n\r\n'],
    ['a chunk that breaks off', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"a"'],
    ['a body that ends with the connection', 'HTTP/1.0 201 Created\r\n\r\n{"a":1}'],
    [
      'a response with a second response after it',
      'HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\nHTTP/1.1 500 No\r\n\r\n',
    ],
  ])('is acknowledged by the status of the response when it is %s', async (_what, response) => {
    const port = await listening(createTcpServer((socket) => void socket.once('data', () => socket.end(response))));
    const httpStatus = Number(response.slice(9, 12));
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ outcome: 'DELIVERED', httpStatus });
    // The same when the bytes come one packet after the other.
    const slow = await listening(
      createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => {
          const end = response.indexOf('\r\n\r\n') + 4;
          socket.write(response.slice(0, end));
          setTimeout(() => socket.end(response.slice(end)), 20);
        });
      }),
    );
    expect(await post(`http://127.0.0.1:${slow}/`)).toMatchObject({ outcome: 'DELIVERED', httpStatus });
  });

  it('has failed with another status, whatever follows its head', async () => {
    const response = 'HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\n{"a":1}';
    const port = await listening(createTcpServer((socket) => void socket.once('data', () => socket.end(response))));
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({
      outcome: 'FAILED',
      httpStatus: 500,
      error: 'STATUS',
    });
  });

  it('is acknowledged by its head, even if the connection is reset behind it', async () => {
    const breaking = await receiver((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setTimeout(() => response.destroy(), 20);
    });
    expect(await post(`http://127.0.0.1:${breaking}/`)).toMatchObject({ outcome: 'DELIVERED', httpStatus: 200 });
  });

  it('waits a moment for the body of an answer, and not for one that never ends', async () => {
    const late = await receiver((_request, response) => {
      response.writeHead(200).write('{"returnCode"');
      setTimeout(() => response.end(':"LATE"}'), 100);
    });
    expect(await post(`http://127.0.0.1:${late}/`)).toMatchObject({ outcome: 'DELIVERED', returnCode: 'LATE' });
    const endless = await receiver((_request, response) => void response.writeHead(200).write('x'));
    const result = await post(`http://127.0.0.1:${endless}/`, { deadlineMs: 10_000 });
    expect(result).toMatchObject({ outcome: 'DELIVERED', httpStatus: 200 });
    expect(result.durationMs).toBeLessThan(9500);
    // The deadline of the whole call is an end as well.
    expect(await post(`http://127.0.0.1:${endless}/`, { deadlineMs: 200 })).toMatchObject({ outcome: 'DELIVERED' });
  });

  it('uses a connection of its own, and leaves none open', async () => {
    const port = await receiver(status(200));
    const before = sockets.size;
    for (let calls = 0; calls < 3; calls += 1) await post(`http://127.0.0.1:${port}/`);
    const own = [...sockets].slice(before);
    await expect.poll(() => own.map((socket) => socket.destroyed)).toEqual([true, true, true]);
  });
});

describe('a call that fails', () => {
  const failing = async (endpoint: string, more: Partial<SenderOptions> = {}): Promise<unknown> => {
    const { outcome, error, httpStatus } = await post(endpoint, more);
    return { outcome, error, httpStatus };
  };
  const failed = (error: string) => ({ outcome: 'FAILED', error, httpStatus: undefined });
  const system = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

  it('has error DNS when the name is unknown', async () => {
    const endpoint = 'https://partner.example/';
    expect(await failing(endpoint, { resolve: system('ENOTFOUND') })).toEqual(failed('DNS'));
    expect(await failing(endpoint, { resolve: system('EAI_AGAIN') })).toEqual(failed('DNS'));
    expect(await failing(endpoint, { resolve: () => Promise.resolve([]) })).toEqual(failed('DNS'));
  });

  it('has error CONNECTION_REFUSED when no process listens at the port', async () => {
    const port = await receiver(status(200));
    await new Promise((closed) => open.splice(0)[0]?.close(closed));
    expect(await failing(`http://127.0.0.1:${port}/`)).toEqual(failed('CONNECTION_REFUSED'));
  });

  it('has error CONNECTION_RESET when the connection is reset or closed before the response', async () => {
    const port = await listening(createTcpServer((socket) => void socket.once('data', () => socket.resetAndDestroy())));
    expect(await failing(`http://127.0.0.1:${port}/`)).toEqual(failed('CONNECTION_RESET'));
    const silent = await listening(createTcpServer((socket) => void socket.once('data', () => socket.end())));
    expect(await failing(`http://127.0.0.1:${silent}/`)).toEqual(failed('CONNECTION_RESET'));
  });

  it('has error INVALID_RESPONSE when the response is not HTTP', async () => {
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
    expect(performance.now() - startedMs).toBeLessThan(60_000);
  });
});

import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { postNotification } from '#partner-tools/receiver/post.ts';

let stop: () => void = () => undefined;
afterEach(() => {
  stop();
});

async function receiver(response: RequestListener): Promise<string> {
  const server = createServer(response);
  stop = () => {
    server.closeAllConnections();
    server.close();
  };
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=1`;
}

const sent = { headers: { 'x-test': '1' }, body: '{}' };

describe('a notification that a tool posts', () => {
  it('is accepted when the receiver responds with 2xx and headers of 200 KiB, as by the service', async () => {
    const large = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`x-policy-${at}`, 'x'.repeat(4096)]));
    const url = await receiver((_request, response) => void response.writeHead(201, large).end('{}'));
    expect(await postNotification(url, sent, 5000)).toMatchObject({ taken: true, status: 201 });
  });

  it('is not accepted when the receiver redirects, and the target gets no request', async () => {
    const asked: string[] = [];
    const url = await receiver((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(await postNotification(url, sent, 5000)).toMatchObject({ taken: false, status: 307 });
    expect(asked).toEqual(['/hook?a=1']);
  });

  it('is not accepted when the receiver does not respond within the time limit', async () => {
    const url = await receiver(() => undefined);
    expect(await postNotification(url, sent, 200)).toMatchObject({ taken: false, failure: 'no response within 0.2 s' });
  });

  it('fails with the error code of the system when no receiver listens', async () => {
    const url = await receiver(() => undefined);
    stop();
    expect(await postNotification(url, sent, 5000)).toMatchObject({
      taken: false,
      connectionErrorCode: 'ECONNREFUSED',
    });
  });
});

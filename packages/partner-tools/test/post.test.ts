import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { postNotification } from '#partner-tools/receiver/post.ts';

let stop: () => void = () => undefined;
afterEach(() => {
  stop();
});

async function receiver(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  stop = () => {
    server.closeAllConnections();
    server.close();
  };
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=1`;
}

const sent = { headers: { 'x-test': '1' }, body: '{}' };

describe('a notification that a tool posts', () => {
  it('is taken by a 2xx with a head of 200 KiB, like the service takes it', async () => {
    const large = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`x-policy-${at}`, 'x'.repeat(4096)]));
    const url = await receiver((_request, response) => void response.writeHead(201, large).end('{}'));
    expect(await postNotification(url, sent, 5000)).toMatchObject({ taken: true, status: 201 });
  });

  it('is not taken by a redirect, whose target gets nothing', async () => {
    const asked: string[] = [];
    const url = await receiver((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(await postNotification(url, sent, 5000)).toMatchObject({ taken: false, status: 307 });
    expect(asked).toEqual(['/hook?a=1']);
  });

  it('says that no answer came when the receiver takes longer than it may', async () => {
    const url = await receiver(() => undefined);
    expect(await postNotification(url, sent, 200)).toMatchObject({ taken: false, failure: 'no answer within 0.2 s' });
  });

  it('names the code of the system when nothing listens', async () => {
    const url = await receiver(() => undefined);
    stop();
    expect(await postNotification(url, sent, 5000)).toMatchObject({ taken: false, nobody: 'ECONNREFUSED' });
  });
});

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from '@banking-order/partner-tools';

function reply(send: (response: ServerResponse) => unknown): Reply {
  return { kind: 'own', send: (response) => void send(response) };
}

/** Never responds. */
export const hang = reply(() => undefined);

/** Breaks the connection. */
export const reset = reply((response) => response.socket?.resetAndDestroy());

export const redirect = (to: string): Reply => reply((response) => response.writeHead(302, { location: to }).end());

/** Acknowledges after a while. */
export const slow = (milliseconds: number): Reply =>
  reply(async (response) => {
    await sleep(milliseconds);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ returnCode: 'SUCCESS' }));
  });

const megabyte = Buffer.alloc(1024 * 1024, ' ');

/** 200 with a body of many megabytes. */
export const megabytes = (count: number): Reply =>
  reply(async (response) => {
    response.on('error', () => undefined);
    response.writeHead(200, { 'content-type': 'application/json' });
    for (let sent = 0; sent < count && !response.destroyed; sent++)
      if (!response.write(megabyte)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    response.end();
  });

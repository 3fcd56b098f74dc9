import { EventEmitter } from 'node:events';
import { world } from '../world/current.ts';
import type { WorldSocket } from './net.ts';

/* `request` of `node:http` for the service: one POST over a connection to a receiver of the world. */

type RequestOptions = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly createConnection: () => WorldSocket;
};

class WorldResponse extends EventEmitter {
  readonly statusCode: number;
  #isClosed = false;
  constructor(statusCode: number) {
    super();
    this.statusCode = statusCode;
  }
  destroy(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    queueMicrotask(() => this.emit('close'));
  }
}

export function request({
  path,
  headers,
  createConnection,
}: RequestOptions): EventEmitter & { end: (body: Buffer) => void } {
  const socket = createConnection();
  const outgoing = new EventEmitter();
  const end = (body: Buffer): void => {
    const { receivers, time, actors } = world();
    const caller = actors.present();
    if (caller !== undefined) caller.hasCalled = true;
    const { ms, breaks, status, text, isEndless } = receivers.take({
      host: socket.host,
      address: socket.remoteAddress ?? '',
      path,
      headers,
      body: body.toString(),
    });
    socket.once('close', () => outgoing.emit('error', Object.assign(new Error('hang up'), { code: 'ECONNRESET' })));
    time.at(time.now() + ms, () => {
      if (socket.isDestroyed) return;
      if (breaks) {
        outgoing.emit('error', Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
        return;
      }
      const response = new WorldResponse(status);
      outgoing.emit('response', response);
      time.at(time.now() + 1, () => {
        response.emit('data', Buffer.from(text));
        if (!isEndless) response.destroy();
      });
    });
  };
  return Object.assign(outgoing, { end });
}

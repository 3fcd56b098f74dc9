import { EventEmitter } from 'node:events';
import type { LookupFunction } from 'node:net';
import { world } from '../world/current.ts';

/* The modules `node:net` and `node:tls` for the service: sockets that lead to the world's receivers. */

export { isIP } from 'node:net';

/** A connection to a receiver, as far as the service uses one. */
export class WorldSocket extends EventEmitter {
  remoteAddress: string | undefined;
  isDestroyed = false;
  readonly host: string;
  constructor(host: string) {
    super();
    this.host = host;
  }
  destroy(): void {
    if (this.isDestroyed) return;
    this.isDestroyed = true;
    queueMicrotask(() => this.emit('close'));
  }
  later(ms: number, event: string, ...given: readonly unknown[]): void {
    const { time } = world();
    time.at(time.now() + ms, () => {
      if (!this.isDestroyed) this.emit(event, ...given);
    });
  }
}

type TcpOptions = { readonly host: string; readonly lookup: LookupFunction; readonly signal: AbortSignal };
type TlsOptions = { readonly socket: WorldSocket };

export function connect(options: TcpOptions | TlsOptions): WorldSocket {
  return 'socket' in options ? secure(options) : open(options);
}

function open({ host, lookup, signal }: TcpOptions): WorldSocket {
  const socket = new WorldSocket(host);
  signal.addEventListener('abort', () => {
    socket.destroy();
  });
  lookup(host, { all: true }, (error, addresses) => {
    if (socket.isDestroyed) return;
    if (error !== null) {
      socket.later(0, 'error', error);
      return;
    }
    const first = Array.isArray(addresses) ? addresses[0]?.address : addresses;
    socket.remoteAddress = first;
    const { refuses, connectMs } = world().receivers.connection(host, first ?? '');
    if (refuses === 'SILENT') return;
    if (refuses === undefined) socket.later(connectMs, 'connect');
    else socket.later(connectMs, 'error', Object.assign(new Error(refuses), { code: refuses }));
  });
  return socket;
}

function secure({ socket }: TlsOptions): WorldSocket {
  const { connectMs, breaksHandshake } = world().receivers.connection(socket.host, socket.remoteAddress ?? '');
  if (breaksHandshake) socket.later(connectMs, 'error', Object.assign(new Error('TLS'), { code: 'CERT_HAS_EXPIRED' }));
  else socket.later(connectMs, 'secureConnect');
  return socket;
}

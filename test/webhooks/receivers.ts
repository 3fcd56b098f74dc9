import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { CallResult } from '#shared/webhooks/deliveries/states.ts';
import type { OutgoingCall, SenderOptions } from '#shared/webhooks/dispatch/sender.ts';
import { sender } from '#shared/webhooks/dispatch/sender.ts';
import type { ResolvedAddress } from '#shared/platform/target-guard.ts';
import { certificate } from './receiver-certificate.ts';

/** Receivers on real sockets of the loopback network, and a sender that reaches them. */

export const open: Server[] = [];
export const sockets = new Set<Socket>();

/** Closes all of them; each file calls it after each of its tests. */
export function closeReceivers(): void {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  for (const server of open.splice(0)) server.close();
}

const loopback = (): Promise<ResolvedAddress[]> => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
export const options: SenderOptions = {
  rules: { allowLocal: true },
  resolve: loopback,
  deadlineMs: 500,
  authorities: certificate,
};

/** The port on which it listens: any free one. */
export async function listening(server: Server): Promise<number> {
  open.push(server);
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** The loopback address at which it listens on this port: the first of 127.7.8.0/24 where the port is free. */
export async function listeningAt(server: Server, port: number): Promise<string> {
  open.push(server);
  server.on('connection', (socket: Socket) => sockets.add(socket));
  for (let last = 1; last < 255; last += 1) {
    const address = `127.7.8.${last}`;
    server.listen(port, address);
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (isFree) return address;
  }
  throw new Error(`Port ${port} is taken on all of 127.7.8.0/24.`);
}

export const receiver = async (response: RequestListener): Promise<number> => listening(createHttpServer(response));
export const status = (code: number, body = '', headers: Record<string, string> = {}): RequestListener => {
  return (_request, response) => void response.writeHead(code, headers).end(body);
};

export function post(
  endpoint: string,
  more: Partial<SenderOptions> = {},
  call: Partial<OutgoingCall> = {},
): Promise<CallResult> {
  return sender({ ...options, ...more })({ endpoint, headers: { 'x-test': '1' }, body: '{"a":"é"}', ...call });
}

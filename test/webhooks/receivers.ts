import { createServer as createHttpServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { CallResult } from '#shared/webhooks/deliveries/states.ts';
import type { OutgoingCall, SenderOptions } from '#shared/webhooks/dispatch/sender.ts';
import { sender } from '#shared/webhooks/dispatch/sender.ts';
import type { ResolvedAddress } from '#shared/webhooks/dispatch/target-guard.ts';
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

/** The port on which it listens: any free one unless said otherwise. */
export async function listening(server: Server, port = 0, host = '127.0.0.1'): Promise<number> {
  open.push(server);
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return (server.address() as AddressInfo).port;
}

export const receiver = async (answer: RequestListener): Promise<number> => listening(createHttpServer(answer));
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

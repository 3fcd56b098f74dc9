import { connect } from 'node:net';
import type { Send } from '@banking-order/partner-tools';
import { send as sendOverHttp } from '@banking-order/partner-tools';
import { recordExchange } from './exchanges.ts';

/** Sends a request, and keeps what was said for test/silence. */
export const send: Send = async (baseUrl, sent) => {
  const received = await sendOverHttp(baseUrl, sent);
  const { method, path, headers = {}, body = '' } = sent;
  recordExchange({ method, path, headers, body: String(body) }, received);
  return received;
};

/** Bytes that need not be HTTP, and whatever comes back until the other side closes or stays silent for `silentMs`. */
export async function sendBytes(baseUrl: string, bytes: Buffer, silentMs = 1000): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    socket.setTimeout(silentMs, resolve);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', () => {
      resolve();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The other side may close while there is still something to send.
      if (error.code === 'EPIPE' || error.code === 'ECONNRESET') resolve();
      else reject(error);
    });
    socket.write(bytes);
  });
  socket.destroy();
  return Buffer.concat(chunks).toString('utf8');
}

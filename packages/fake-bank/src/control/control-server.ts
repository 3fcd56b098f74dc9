import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';
import { Refusal } from '../refusal.ts';

/** Operations of a control surface by path. Each takes a JSON object. */
export type Controls = Readonly<Record<string, (body: unknown) => unknown>>;

/**
 * Serves the control surface: actions of payers and of other banks, and injected faults, as `POST` with JSON. Plain
 * HTTP on loopback, without credentials.
 *
 * @param wake Sends the callbacks that an operation caused.
 * @param port 0 for any free port.
 */
export async function serveControl(controls: Controls, wake: () => void, port: number) {
  const server = createServer((message, response) => {
    respond(controls, wake, message).then(
      (body) => {
        write(response, 200, body);
      },
      (error: unknown) => {
        const status = error instanceof Refusal ? error.response.status : error instanceof z.ZodError ? 400 : 500;
        const text = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
        write(response, status, error instanceof Refusal ? error.response.body : { error: text });
      },
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function respond(controls: Controls, wake: () => void, message: IncomingMessage): Promise<unknown> {
  const chunks = await message.toArray();
  const text = Buffer.concat(chunks as Buffer[]).toString();
  const { pathname } = new URL(message.url ?? '', 'http://127.0.0.1');
  const name = pathname.slice(1);
  const control = Object.hasOwn(controls, name) ? controls[name] : undefined;
  if (message.method !== 'POST' || control === undefined)
    throw new Refusal({ status: 404, body: { error: `Send a POST to one of ${Object.keys(controls).join(', ')}.` } });
  const result: unknown = await control(text === '' ? {} : (JSON.parse(text) as unknown));
  wake();
  return result;
}

function write(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body ?? {}));
}

import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { signatureHeaders } from '#shared/webhooks/dispatch/signature.ts';
import { inParallel } from '../load.ts';

/**
 * The floor of a delivery, a process of its own: notifications that are signed and sent, and nothing else. There is no
 * table and no queue, and connections stay open.
 */

export type Posts = { readonly url: string; readonly count: number; readonly connections: number };
/** Posts a second, and CPU of one, milliseconds. */
export type Posted = { readonly perSecond: number; readonly cpuMs: number };

const secrets = { current: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' };
const body = JSON.stringify({ event: 'ORDER-PAYOUT.PAID', text: 'x'.repeat(900) });

async function post(url: string, agent: Agent): Promise<void> {
  const headers = signatureHeaders({ id: crypto.randomUUID(), at: new Date().toISOString(), body, secrets });
  const outgoing = request(url, {
    agent,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [NodeJS.ReadableStream];
  response.resume();
  await once(response, 'end');
}

process.on('message', ({ url, count, connections }: Posts) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const cpu = process.cpuUsage();
  const started = performance.now();
  void inParallel(connections, count, () => post(url, agent)).then(() => {
    const seconds = (performance.now() - started) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    agent.destroy();
    process.send?.({ perSecond: count / seconds, cpuMs: (user + system) / 1000 / count } satisfies Posted);
  });
});
process.once('disconnect', () => process.exit());

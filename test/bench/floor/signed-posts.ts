import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { signatureHeaders } from '#shared/webhooks/signature.ts';
import { loadWith } from '../load.ts';

/**
 * The floor of row 2, a process of its own: notifications that are signed and sent, and nothing else. No table, no
 * queue, connections that stay open.
 */

export type Posting = { readonly url: string; readonly count: number; readonly connections: number };

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
  const [answer] = (await once(outgoing, 'response')) as [NodeJS.ReadableStream];
  answer.resume();
  await once(answer, 'end');
}

process.on('message', ({ url, count, connections }: Posting) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  void loadWith(() => post(url, agent), { connections, durationMs: Infinity, atMost: count }).then(({ perSecond }) => {
    agent.destroy();
    process.send?.(perSecond);
  });
});
process.once('disconnect', () => process.exit());

// A process that has just begun, as a function's: calls a bank, by a bare request of Node or by the adapter, and tells
// how many milliseconds each call took. Started by bank-calls.ts with what it needs in its environment.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { bankClient } from '#shared/bank/dialects/efi/client.ts';
import { parseSecret } from '#shared/bank/dialects/efi/credentials.ts';

const apiUrl = process.env['BANK_URL'] ?? '';
const secret = parseSecret(process.env['BANK_SECRET'] ?? '');
const path = '/v2/cob/1';

function bare(): () => Promise<unknown> {
  const { certificate: cert, key, authorities: ca } = secret;
  const agent = new Agent({ cert, key, ...(ca !== undefined && { ca }), keepAlive: true });
  return async () => {
    const outgoing = request(`${apiUrl}${path}`, { agent }).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return response.toArray();
  };
}

function adapter(): () => Promise<unknown> {
  const client = bankClient({
    ...{ apiUrl, tokenUrl: `${apiUrl}/oauth/token`, secret: () => Promise.resolve(secret) },
    ...{ gate: (call) => call(), refused: () => undefined, misled: () => undefined, notKnown: () => undefined },
  });
  return () => client.command({ method: 'GET', path });
}

const call = process.argv[2] === 'bare' ? bare() : adapter();
const took: number[] = [];
for (let calls = 0; calls < 21; calls += 1) {
  const began = performance.now();
  await call();
  took.push(performance.now() - began);
}
process.stdout.write(JSON.stringify(took));
process.exit();

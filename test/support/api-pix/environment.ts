import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Sandbox } from '#infra/operator/local-environment.ts';
import type { LocalBank } from '@banking-order/fake-bank';

/** `npm start -- --bank api-pix` in a folder of its own, and its API as the first company of the sandbox calls it. */
export async function startWithBank() {
  const folder = mkdtempSync(join(tmpdir(), 'bank-heard-'));
  const npm = spawn('npm', ['start', '--', '--bank', 'api-pix'], {
    env: { ...process.env, PORT: '0', LOCAL_DIR: folder, npm_lifecycle_event: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed: string[] = [];
  npm.stderr.on('data', (text: Buffer) => printed.push(text.toString()));
  const { promise, resolve } = Promise.withResolvers<undefined>();
  createInterface({ input: npm.stdout }).on('line', (line) => {
    printed.push(line);
    if (line.startsWith('ready')) resolve(undefined);
  });
  await promise;
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const sandbox = JSON.parse(read('sandbox.json')) as Sandbox;
  return {
    ...{ folder, sandbox, printed, read },
    bank: JSON.parse(read('bank/connection.json')) as LocalBank,
    stop: async (): Promise<void> => {
      npm.kill('SIGTERM');
      await once(npm, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Calls the API as a company of the sandbox; the answer as text, whatever it is. */
export async function openApi({ baseUrl, tokenUrl, scope, companies }: Sandbox, company: number) {
  const { clientId = '', clientSecret = '' } = companies[company] ?? {};
  const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope };
  const token = await fetch(tokenUrl, { method: 'POST', body: new URLSearchParams(grant) });
  const { access_token: bearer } = (await token.json()) as { access_token: string };
  return async (method: string, path: string, body?: object): Promise<{ status: number; text: string }> => {
    const response = await fetch(`${baseUrl}${path}`, {
      ...{ method, ...(body !== undefined && { body: JSON.stringify(body) }) },
      headers: {
        ...{ authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        'idempotency-key': crypto.randomUUID(),
      },
    });
    return { status: response.status, text: await response.text() };
  };
}

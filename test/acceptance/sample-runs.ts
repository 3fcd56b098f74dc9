import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { freePort } from '@banking-order/cdk-local';
import { startLossyProxy } from './lossy-proxy.ts';
import { activeAccount, environment, first } from './partners.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));
/** Of one run. */
export const folder = mkdtempSync(join(tmpdir(), 'banking-order-service-samples-'));

type Run = { readonly env?: Record<string, string>; readonly input?: string };

/** Runs a command and gives everything that it said. */
export async function run([program = '', ...args]: readonly string[], { env = {}, input = '' }: Run = {}) {
  const child = spawn(program, args, { cwd: root, env: { ...process.env, ...env } });
  child.stdin.end(input);
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.on('close', resolve)),
  ]);
  return { code, out, err };
}

/**
 * Lets a sample pay and refund through a network that loses answers, by the settings of docs/samples/environment.sh:
 * it must send the same keys again, create nothing twice, and take both notifications for genuine.
 */
export async function letPay(command: readonly string[]): Promise<void> {
  const proxy = await startLossyProxy(environment.baseUrl);
  const { tokenUrl, scope } = environment;
  const company = { ...first, accounts: [activeAccount(first)] };
  const sandbox = join(folder, `sandbox-${process.pid}.json`);
  writeFileSync(sandbox, JSON.stringify({ baseUrl: proxy.url, tokenUrl, scope, companies: [company] }));
  const port = await freePort();
  const { code, out, err } = await run(['bash', '-c', '. docs/samples/environment.sh && exec "$@"', '--', ...command], {
    env: { SANDBOX: sandbox, RECEIVER_PORT: String(port) },
  });
  await proxy.stop();
  expect(err).toBe('');
  expect(out).toContain('ORDER-PAYIN.PAID came, and its signature is good');
  expect(out).toContain('ORDER-PAYIN.REFUNDED came, and its signature is good');
  expect(code).toBe(0);
  for (const [path, calls] of proxy.posted()) {
    expect(new Set(calls.map(({ key }) => key)).size, `${path}: one key for all repetitions`).toBe(1);
    const passed = calls.flatMap((call) => call.passed ?? []);
    expect(passed, path).toEqual([
      { status: 201, replayed: false },
      { status: 201, replayed: true },
    ]);
  }
  expect([...proxy.posted().values()].map(({ length }) => length)).toEqual([4, 2]);
}

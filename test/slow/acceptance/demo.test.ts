import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { companyOfScenarios, scenarios } from '@banking-order/partner-tools';
import { environment } from '#test/acceptance/partners.ts';

const script = fileURLToPath(new URL('../../../packages/partner-tools/src/main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'banking-order-service-demo-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

type RunResult = { readonly code: number; readonly output: string };

/** Runs `npm run demo` with a sandbox file that says this. */
function demo(sandbox: unknown): Promise<RunResult> {
  const file = join(folder, 'sandbox.json');
  writeFileSync(file, JSON.stringify(sandbox));
  return scenario('journey-3-with-refund', '--sandbox', file);
}

/** Runs `npm run scenario`. */
function scenario(...args: readonly string[]): Promise<RunResult> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, 'scenario', ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });
}

const { baseUrl, tokenUrl, scope, companies } = environment;
const sandbox = { baseUrl, tokenUrl, scope, companies };

test('the demo shows a whole journey and ends well', async () => {
  const { code, output } = await demo(sandbox);
  expect(output).toContain('Every check passed.');
  expect(output).toContain('000201');
  expect(output.match(/response 500/gu)).toHaveLength(6);
  expect(code).toBe(0);
});

test('scenarios act for their own company where there is one, and draw no code unless they are asked', async () => {
  const [first, second] = companies;
  const { output } = await demo({ ...sandbox, companies: [first, { ...second, name: companyOfScenarios }] });
  expect(output).toContain(`company            ${companyOfScenarios}\n`);
  expect(output).not.toContain('█');
  expect((await scenario('--help')).output).toContain('--qr-code');
});

test('the demo exits with 1 and prints the failed check when a signature does not match', async () => {
  const [first, second] = companies;
  const webhookSecret = `whsec_${Buffer.alloc(32).toString('base64')}`;
  const { code, output } = await demo({ ...sandbox, companies: [{ ...first, webhookSecret }, second] });
  expect(output).toContain('✘ An attempt is not signed in both ways: ');
  expect(code).toBe(1);
});

test('the demo exits with 1 and prints how to start an environment when none responds', async () => {
  // No server listens on the port of discard (RFC 863).
  const { code, output } = await demo({
    ...sandbox,
    baseUrl: 'http://127.0.0.1:9',
    tokenUrl: 'http://127.0.0.1:9/token',
  });
  expect(output).toContain('Start an environment with "npm start" in another terminal');
  expect(code).toBe(1);
});

test('npm run scenario lists every scenario; a name that is none, and a scenario for another receiver, end with 1', async () => {
  const listed = await scenario();
  for (const { name, about } of scenarios)
    expect(listed.output).toMatch(new RegExp(`${name} +${about.slice(0, 20)}`, 'u'));
  expect(listed.code).toBe(0);
  const unknown = await scenario('journey-4');
  expect([unknown.code, unknown.output]).toEqual([1, expect.stringContaining('There is no scenario journey-4.')]);
  const elsewhere = await scenario('rotation-during-retries', '--webhook-url', 'https://partner.example.com/hooks');
  expect([elsewhere.code, elsewhere.output]).toEqual([1, expect.stringContaining('Run it without --webhook-url.')]);
});

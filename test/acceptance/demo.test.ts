import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { environment } from './partners.ts';

const script = fileURLToPath(new URL('../demo/demo.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'banking-order-service-demo-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs `npm run demo` with a sandbox file that says this. */
function demo(sandbox: unknown): Promise<{ code: number; output: string }> {
  const file = join(folder, 'sandbox.json');
  writeFileSync(file, JSON.stringify(sandbox));
  return new Promise((resolve) => {
    execFile(process.execPath, [script, '--sandbox', file], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });
}

const { baseUrl, tokenUrl, scope, companies } = environment;
const sandbox = { baseUrl, tokenUrl, scope, companies };

test('the demo shows a whole journey and ends well', async () => {
  const { code, output } = await demo(sandbox);
  expect(output).toContain('Everything was as the specification says.');
  expect(output).toContain('000201');
  expect(output.match(/answered with 500/gu)).toHaveLength(6);
  expect(code).toBe(0);
});

test('the demo ends with 1 and says why when a signature does not match', async () => {
  const [first, second] = companies;
  const webhookSecret = `whsec_${Buffer.alloc(32).toString('base64')}`;
  const { code, output } = await demo({ ...sandbox, companies: [{ ...first, webhookSecret }, second] });
  expect(output).toContain('✘ every attempt is signed in both ways: this does not hold.');
  expect(code).toBe(1);
});

test('the demo ends with 1 and says how to start an environment when none answers', async () => {
  // Nobody listens on the port of discard (RFC 863).
  const { code, output } = await demo({
    ...sandbox,
    baseUrl: 'http://127.0.0.1:9',
    tokenUrl: 'http://127.0.0.1:9/token',
  });
  expect(output).toContain('Start one with "npm start" in another terminal');
  expect(code).toBe(1);
});

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { GetWebhookSettings } from '#functions/webhooks/get/contract.ts';
import { ReplaceWebhookSettings } from '#functions/webhooks/replace/contract.ts';
import { root } from '#test/architecture/sources.ts';
import { environment, first, useReceiver } from '#test/acceptance/partners.ts';

const inbox = useReceiver();
const folder = mkdtempSync(join(tmpdir(), 'banking-order-service-doctor-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** `npm run doctor` with this sandbox file: what it said of each part, and its exit code. */
async function doctor(changes: Readonly<Record<string, unknown>> = {}) {
  const { baseUrl, tokenUrl, scope, companies } = environment;
  const file = join(folder, 'sandbox.json');
  writeFileSync(file, JSON.stringify({ baseUrl, tokenUrl, scope, companies, ...changes }), { mode: 0o600 });
  const script = join(root, 'tools/kit/command.ts');
  return new Promise<{ code: unknown; lines: string[]; err: string }>((resolve) => {
    execFile(process.execPath, [script, 'doctor', '--sandbox', file], (error, out, err) => {
      resolve({ code: error === null ? 0 : error.code, lines: out.split('\n'), err });
    });
  });
}

function isTest(body: unknown): boolean {
  return (body as { event?: string }).event === 'WEBHOOK.TEST';
}

test('the doctor examines a running environment from its clock to its deliveries, and names an endpoint that fails', async () => {
  const { body: before } = await first.call(GetWebhookSettings);
  const [takes, fails] = [inbox('doctor'), inbox('doctor')];
  fails.reply({ kind: 'status', status: 401 });
  const events = [
    { type: 'PAYIN', endpoint: takes.url },
    { type: 'PAYOUT', endpoint: fails.url },
  ] as const;
  await first.call(ReplaceWebhookSettings, { body: { events: [...events] } });
  try {
    const { code, lines } = await doctor();
    for (const part of ['node', 'folder', 'port', 'clock', 'token'])
      expect(
        lines.filter((line) => line.startsWith(`✔ ${part} `)),
        lines.join('\n'),
      ).toHaveLength(1);
    expect(lines).toContain(`✔ endpoints   PAYIN is delivered to ${takes.url}.`);
    expect(lines.join('\n')).toMatch(/✘ endpoints {3}PAYOUT fails at \S+: STATUS 401\. → It refuses the signature/u);
    expect(lines.join('\n')).toContain('! endpoints   PAYIN_REFUND has no endpoint');
    expect(lines.some((line) => line.includes(' deliveries '))).toBe(true);
    // What was held for want of an endpoint comes here, too, tests of other files among it.
    expect(takes.received.filter(({ body }) => isTest(body)).length).toBeGreaterThanOrEqual(1);
    expect(code).toBe(1);
  } finally {
    const { events: known } = before;
    const body = { events: known.map(({ type, endpoint, status }) => ({ type, endpoint, status })) };
    await first.call(ReplaceWebhookSettings, { body });
  }
});

test('the doctor names the part that stops it, examines no further part and exits with 1', async () => {
  const [company, other] = environment.companies;
  const wrong = await doctor({ companies: [{ ...company, clientSecret: 'wrong' }, other] });
  expect(wrong.lines.at(-2)).toBe(
    'Problems found: 1. Solve this one first: the doctor did not examine the remaining parts.',
  );
  expect(wrong.lines.find((line) => line.startsWith('✘ token'))).toContain(
    '(invalid_client). → Check clientId and clientSecret in',
  );
  // Nobody listens on the port of discard (RFC 863).
  const none = await doctor({ baseUrl: 'http://127.0.0.1:9' });
  expect(none.lines.find((line) => line.startsWith('✘ port'))).toContain(
    '→ Start an environment with "npm start" in another terminal.',
  );
  expect([wrong.code, none.code, wrong.err + none.err]).toEqual([1, 1, '']);
});

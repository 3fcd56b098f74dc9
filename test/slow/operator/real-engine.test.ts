import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '#infra/operator/main.ts';
import { connectTarget } from '#infra/operator/target.ts';
import { openClientRegistry } from '#infra/operator/client-registry.ts';
import { seedSandbox } from '@banking-order/local-environment';
import { readApiClient } from '#shared/access/api-clients.ts';
import { systemClock } from '#shared/platform/clock.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import { readBalance } from '#shared/platform/ledger/shards.ts';
import type { TestEngine } from '#test/support/engine.ts';
import { startEngine } from '#test/support/engine.ts';

const main = fileURLToPath(new URL('../../../infra/operator/main.ts', import.meta.url));

const operator = 'arn:aws:sts::111111111111:assumed-role/operator/ana';

/** STS as far as the command calls it: the answer to `GetCallerIdentity`, and to no other action. */
const sts = createServer((request, response) => {
  void text(request).then((body) => {
    const isKnown = new URLSearchParams(body).get('Action') === 'GetCallerIdentity';
    const result = `<Arn>${operator}</Arn><UserId>AROA:ana</UserId><Account>111111111111</Account>`;
    response.writeHead(isKnown ? 200 : 400, { 'content-type': 'text/xml' });
    response.end(
      `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>` +
        `${result}</GetCallerIdentityResult></GetCallerIdentityResponse>`,
    );
  });
});

let engine: TestEngine;
let folder: string;
beforeAll(async () => {
  await once(sts.listen(0, '127.0.0.1'), 'listening');
  engine = await startEngine();
  folder = mkdtempSync(join(tmpdir(), 'partner-'));
  const { endpoint: dynamodb, tableName } = engine;
  // These commands call no queue.
  const sqs = 'http://127.0.0.1:9';
  writeFileSync(join(folder, 'endpoints.json'), JSON.stringify({ dynamodb, tableName, sqs }));
});
afterAll(async () => {
  sts.close();
  await engine.stop();
  rmSync(folder, { recursive: true });
});

type RunResult = { readonly code: number; readonly out: string; readonly err: string };

/** The command in this process, on a real target. */
async function run(args: readonly string[], env: Record<string, string> = {}): Promise<RunResult> {
  let out = '';
  let err = '';
  const terminal = { out: (text: string) => (out += text), err: (text: string) => (err += text) };
  const code = await runCommandLine(args, (target) => connectTarget(target, { LOCAL_DIR: folder, ...env }), terminal);
  return { code, out, err };
}

/** The command as npm starts it. */
function runProcess(args: readonly string[]): Promise<RunResult> {
  const credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
  const { port } = sts.address() as AddressInfo;
  const addresses = { AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint, AWS_ENDPOINT_URL_STS: `http://127.0.0.1:${port}` };
  const env = { ...credentials, AWS_REGION: 'us-east-1', ...addresses };
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

async function readOutput(running: Promise<RunResult>): Promise<Record<string, string>> {
  const { code, out, err } = await running;
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as Record<string, string>;
}

const holder = ['--name', 'José', '--document', '52998224725', '--email', 'j@example.com', '--phone', '+5511900000102'];

/** The arguments that open an account with 10 reais. */
function openAccount(companyId: string): readonly string[] {
  return ['account:create', '--company', companyId, ...holder, '--opening-balance', '10', '--json'];
}

describe('the partner command on a real engine', () => {
  it('onboards a partner in the local environment of its folder', async () => {
    const store = dynamoStore({ client: engine.client, tableName: engine.tableName });
    const { companyId = '' } = await readOutput(run(['company:create', '--name', 'São João', '--json']));
    const { clientId = '', clientSecret = '' } = await readOutput(
      run(['client:create', '--company', companyId, '--json']),
    );
    const { id = '' } = await readOutput(run(openAccount(companyId)));
    expect(await readApiClient(store, clientId)).toMatchObject({ companyId, status: 'ACTIVE' });
    expect(await readBalance(store, companyId, id)).toMatchObject({ available: 1000 });
    const file = join(folder, 'clients.json');
    expect(await openClientRegistry(file).verify(clientId, clientSecret)).toBe(true);
    expect(readFileSync(file, 'utf8')).not.toContain(clientSecret);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('reconciles all companies or one, and prints its rate and its reads to stderr', async () => {
    const { companyId = '' } = await readOutput(run(['company:create', '--name', 'B', '--json']));
    await readOutput(run(openAccount(companyId)));
    for (const more of [[], ['--company', companyId, '--read-units', '50']]) {
      const { code, out, err } = await run(['reconcile', '--json', ...more]);
      expect({ code, out }).toEqual({ code: 0, out: '[]' });
      expect(err).toContain(`at most ${more.length > 0 ? 50 : 100} read units a second`);
      expect(err).toMatch(/Read [1-9]\d* items of \d+ companies; consumed \d+(\.5)? read units/u);
      expect(err).toMatch(/Compared [1-9]\d* accounts/u);
    }
    expect(await run(['reconcile', '--read-units', '0'])).toMatchObject({ code: 2 });
  });

  it('works on a named table with the settings of the AWS SDK when it runs as a process', async () => {
    const target = ['--table', engine.tableName, '--json'];
    const { companyId = '' } = await readOutput(runProcess(['company:create', '--name', 'A', ...target]));
    const companies = (await readOutput(run(['company:list', '--json']))) as unknown as readonly {
      companyId: string;
    }[];
    expect(companies.map((company) => company.companyId)).toContain(companyId);
    const { out } = await run(['trail', '--company', companyId, '--json']);
    expect(JSON.parse(out)).toMatchObject([{ command: 'company:create', ids: { companyId } }]);
    const trail = JSON.parse((await run(['trail', '--json'])).out) as readonly { command: string; by: string }[];
    expect(trail.filter(({ by }) => by === operator).map(({ command }) => command)).toEqual(['company:create']);
  });

  it('exits with 2 on wrong usage when it runs as a process', async () => {
    expect(await runProcess(['company:list', '--tabel', 'x'])).toMatchObject({ code: 2, out: '' });
  });

  it('exits with 1 when the table does not answer', async () => {
    const { code, out, err } = await run(['company:list'], { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9' });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('does not respond');
  });
});

describe('the seed of a local environment', () => {
  it('makes the sandbox on a real engine', async () => {
    const registry = openClientRegistry(join(folder, 'seed.json'));
    const { tableName } = engine;
    const store = dynamoStore({ client: engine.client, tableName });
    const companies = await seedSandbox({ store, ids: randomIds, now: systemClock, registry });
    for (const { companyId, clientId, clientSecret, accounts } of companies) {
      expect(await registry.verify(clientId, clientSecret)).toBe(true);
      expect(await readBalance(store, companyId, accounts[0]?.id ?? '')).toMatchObject({ available: 100_000_000 });
    }
    expect(companies).toHaveLength(3);
  });
});

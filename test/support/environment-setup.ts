import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { CreatePayIn } from '../../functions/pay-ins/create/contract.ts';
import { partnerOf } from './client.ts';
import type { Capability, Environment } from './environment.ts';
import { CAPABILITIES } from './environment.ts';
import type { LocalProcess } from './environment-local.ts';
import { localDeadLetters, startLocalProcess } from './environment-local.ts';
import { readSandbox } from './environment-sandbox.ts';

const folder = mkdtempSync(join(tmpdir(), 'banking-order-service-'));
const notJudged = join(folder, 'not-judged.jsonl');
let local: LocalProcess | undefined;
let failures = (): number => 0;

/**
 * Once a run: the environment to judge. `ACCEPTANCE_SANDBOX` names the sandbox file of one that runs already (a deployment in
 * an emulator); without it a local environment is started on a free port and an empty folder.
 *
 * | Variable                   | Meaning                                                                    |
 * |----------------------------|----------------------------------------------------------------------------|
 * | `ACCEPTANCE_SANDBOX`       | sandbox file of a running environment                                      |
 * | `ACCEPTANCE_CAPABILITIES`  | what can be judged there, separated by commas (environment.ts lists them)  |
 * | `ACCEPTANCE_RECEIVER_HOST` | address under which that environment reaches this machine                  |
 */
export async function setup(project: TestProject): Promise<void> {
  writeFileSync(notJudged, '');
  failures = () => project.vitest.state.getCountOfFailedTests();
  const file = process.env['ACCEPTANCE_SANDBOX'];
  const environment = file === undefined ? await started() : running(file);
  project.provide('environment', environment);
  project.provide('expiring', await makeExpiringPayIn(environment));
  project.provide('notJudged', notJudged);
}

/** Ends what was started, and names every test that was not judged, with its reason. After failures the logs are kept. */
export async function teardown(): Promise<void> {
  await local?.stop();
  const lines = readFileSync(notJudged, 'utf8').split('\n').filter(Boolean);
  if (failures() === 0) rmSync(folder, { recursive: true, force: true });
  else if (local !== undefined) console.log(`\nThe environment's data and logs are kept in ${local.folder}.`);
  if (lines.length === 0) return;
  console.log(`\n${lines.length} tests were not judged in this environment:`);
  for (const line of lines) {
    const { test, capability, reason } = JSON.parse(line) as Record<'test' | 'capability' | 'reason', string>;
    console.log(`  ${test}\n    needs "${capability}": ${reason}`);
  }
}

async function started(): Promise<Environment> {
  const data = join(folder, 'local');
  local = await startLocalProcess({ folder: data, retryDelaysSeconds: '1,1,1,1' });
  const { baseUrl, tokenUrl, scope, companies } = local.sandbox;
  const deadLetters = await localDeadLetters(data);
  const capabilities = (Object.keys(CAPABILITIES) as Capability[]).filter(
    (name) => name !== 'dead-letters' || deadLetters !== undefined,
  );
  return {
    name: 'local environment',
    baseUrl,
    tokenUrl,
    scope,
    companies: [companies[0], companies[1]],
    receiverHost: '127.0.0.1',
    capabilities,
    ...(deadLetters && { deadLetters }),
    signingKeyFile: join(data, 'token-key.json'),
  };
}

/** The shortest life of a pay-in is a minute: it passes while the other tests run. */
async function makeExpiringPayIn(environment: Environment): Promise<{ id: string; expireDateTime: string }> {
  const partner = partnerOf(environment, environment.companies[0]);
  const { body } = await partner.call(CreatePayIn, {
    body: {
      externalId: `expiring-${randomUUID()}`,
      accountId: partner.accounts[0]?.id ?? '',
      amount: { currency: 'BRL', value: '1.23' },
      description: 'Nobody pays this',
      payer: { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } },
      expiresInSeconds: 60,
    },
  });
  return { id: body.id, expireDateTime: body.expireDateTime };
}

function running(file: string): Environment {
  const { baseUrl, tokenUrl, scope, companies, deadLetters, signingKeyFile } = readSandbox(file);
  const named = (process.env['ACCEPTANCE_CAPABILITIES'] ?? '').split(',').filter(Boolean);
  const unknown = named.filter((name) => !(name in CAPABILITIES));
  if (unknown.length > 0) throw new Error(`ACCEPTANCE_CAPABILITIES: there is no ${unknown.join(', ')}.`);
  const capabilities: Capability[] = [
    ...(named as Capability[]),
    ...(deadLetters ? (['dead-letters'] as const) : []),
    ...(signingKeyFile === undefined ? [] : (['signing-key'] as const)),
  ];
  return {
    name: file,
    baseUrl: baseUrl.replace(/\/+$/u, ''),
    tokenUrl,
    scope,
    companies: [companies[0], companies[1]],
    receiverHost: process.env['ACCEPTANCE_RECEIVER_HOST'] ?? '127.0.0.1',
    capabilities: [...new Set(capabilities)],
    ...(deadLetters && { deadLetters }),
    ...(signingKeyFile !== undefined && { signingKeyFile }),
  };
}

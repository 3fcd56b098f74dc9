import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { Waits } from '../acceptance/begin-waits.ts';
import { beginWaits } from '../acceptance/begin-waits.ts';
import { partnerOf } from './client.ts';
import type { Capability, Environment } from './environment.ts';
import { capabilityNames } from './environment.ts';
import type { LocalProcess } from './environment-local.ts';
import { localDeadLetters, startLocalProcess } from './environment-local.ts';
import { readJudgedSandbox } from './environment-sandbox.ts';
import { exchangesVariable } from './exchanges.ts';
import { companyOfScenarios, completeCompanies, startReceiver } from '@banking-order/partner-tools';
import type { Receiver } from '@banking-order/partner-tools';
import type { BankName } from '@banking-order/fake-bank';
import { bankNames } from '@banking-order/fake-bank';
import { lackingBank, lackingNames } from './lacking.ts';
import { describeLeftOpen, notJudgedVariable, readLeftOpen } from './not-judged.ts';

type PlainEnvironment = Omit<Environment, keyof Waits>;

const folder = mkdtempSync(join(tmpdir(), 'banking-order-service-'));
const notJudged = join(folder, 'not-judged.jsonl');
const started: LocalProcess[] = [];
let receiver: Receiver | undefined;
let failures = (): number => 0;
let begun = (): number => 0;
let unknownNames = (): readonly string[] => [];

/** Of the tests of a run with a bank of its own; one of a few files proves nothing of the whole. */
const leftOpenAtMost = { share: 1 / 5, ofTests: 100 };

/**
 * Once a run: the environments to judge. `ACCEPTANCE_SANDBOX` names the sandbox file of one that runs already (a
 * deployment in an emulator); without it a local environment is started for each worker of the suite, on a free port
 * and an empty folder.
 *
 * | Variable                   | Meaning                                                                    |
 * |----------------------------|----------------------------------------------------------------------------|
 * | `ACCEPTANCE_SANDBOX`       | sandbox file of a running environment                                      |
 * | `ACCEPTANCE_CAPABILITIES`  | what can be judged there, separated by commas (environment.ts lists them)  |
 * | `ACCEPTANCE_RECEIVER_HOST` | address under which that environment reaches this machine                  |
 * | `ACCEPTANCE_BANK`          | `api-pix`, `qitech`: the first company of each environment has this bank   |
 */
export async function setup(project: TestProject): Promise<void> {
  writeFileSync(notJudged, '');
  process.env[notJudgedVariable] = notJudged;
  process.env[exchangesVariable] = join(folder, 'exchanges.jsonl');
  failures = () => project.vitest.state.getCountOfFailedTests();
  begun = () =>
    project.vitest.state.getTestModules().reduce((sum, { children }) => sum + [...children.allTests()].length, 0);
  unknownNames = () =>
    project.vitest.state.getTestModules().flatMap(({ relativeModuleId, children }) => {
      const names = new Set([...children.allTests()].map(({ fullName }) => fullName));
      return lackingNames(relativeModuleId).filter((name) => !names.has(name));
    });
  const file = process.env['ACCEPTANCE_SANDBOX'];
  const environments = file === undefined ? await startAll(project.config.maxWorkers) : [running(file)];
  const ready: Environment[] = [];
  for (const environment of environments) ready.push(await withWaits(environment));
  project.provide('environments', ready);
}

/**
 * Ends what was started, and names every test that was not judged, with its reason. After failures the logs are kept.
 */
export async function teardown(): Promise<void> {
  await receiver?.stop();
  await Promise.all(started.map(({ stop }) => stop()));
  for (const line of describeLeftOpen(notJudged)) console.log(line);
  const [left, all] = [readLeftOpen(notJudged).length, begun()];
  const hasBank = process.env['ACCEPTANCE_BANK'] !== undefined;
  if (hasBank && all >= leftOpenAtMost.ofTests && left > all * leftOpenAtMost.share)
    fail(`${left} of ${all} tests cannot run at a bank of this machine: more than a fifth.`);
  if (process.env['ACCEPTANCE_BANK'] === lackingBank)
    for (const name of unknownNames()) fail(`test/support/lacking.json names a test that is gone: ${name}.`);
  if (failures() === 0) rmSync(folder, { recursive: true, force: true });
  else if (started.length > 0) console.log(`\nData and logs of the environments are kept in ${folder}.`);
}

/** Vitest takes what is thrown at its end for no failure. */
function fail(why: string): void {
  console.error(`\nFAIL ${why}`);
  process.exitCode = 1;
}

/** What the tests wait for goes to a receiver of the run, which lives as long as it does. */
async function withWaits(environment: PlainEnvironment): Promise<Environment> {
  // Where the bank opens no charges, they are the second company's.
  const partner = partnerOf(environment, environment.companies[environment.bank === lackingBank ? 1 : 0]);
  receiver ??= await startReceiver(environment.receiverHost);
  const { expiring, ...more } = await beginWaits(partner, receiver.inbox(`waits-${randomUUID()}`).url);
  return { ...environment, expiring, ...(environment.bank !== lackingBank && more) };
}

/** One after another: the first bundles the functions, the others find them bundled. */
async function startAll(count: number): Promise<PlainEnvironment[]> {
  const environments: PlainEnvironment[] = [];
  while (environments.length < count) environments.push(await start(join(folder, `local-${environments.length + 1}`)));
  return environments;
}

/** What the first company's bank lacks. */
const missingAt: Readonly<Record<BankName, readonly Capability[]>> = {
  'api-pix': ['simulated-bank', 'ted', 'key-owners'],
  qitech: ['simulated-bank'],
};

async function start(data: string): Promise<PlainEnvironment> {
  const bank = readBank(process.env['ACCEPTANCE_BANK']);
  const waits = { retryDelaysSeconds: '1,1,1,1', scheduleSeconds: 5 };
  const local = await startLocalProcess({ folder: data, ...waits, ...(bank && { bank }) });
  started.push(local);
  const { baseUrl, tokenUrl, scope, companies } = local.sandbox;
  // The first one's stays: things wait in real time (begin-waits.ts).
  const turned = bank && completeCompanies(local.sandbox).find(({ name }) => name === companyOfScenarios);
  const deadLetters = await localDeadLetters(data);
  const missing: readonly Capability[] = [
    ...(deadLetters === undefined ? (['dead-letters'] as const) : []),
    ...(bank === undefined ? [] : missingAt[bank]),
  ];
  const capabilities = (Object.keys(capabilityNames) as Capability[]).filter((name) => !missing.includes(name));
  return {
    name: `local environment in ${data}`,
    baseUrl,
    tokenUrl,
    scope,
    companies: [companies[0], companies[1]],
    ...(turned && { turned }),
    ...(bank && { bank }),
    receiverHost: '127.0.0.1',
    capabilities,
    ...(deadLetters && { deadLetters }),
    signingKeyFile: join(data, 'token-key.json'),
  };
}

function readBank(name: string | undefined): BankName | undefined {
  const bank = bankNames.find((known) => known === name);
  if (bank !== name) throw new Error(`ACCEPTANCE_BANK: there is no ${String(name)}.`);
  return bank;
}

function running(file: string): PlainEnvironment {
  const { baseUrl, tokenUrl, scope, companies, deadLetters, signingKeyFile } = readJudgedSandbox(file);
  const named = (process.env['ACCEPTANCE_CAPABILITIES'] ?? '').split(',').filter(Boolean);
  const unknown = named.filter((name) => !(name in capabilityNames));
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

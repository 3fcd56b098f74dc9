import { createClient } from '@hey-api/openapi-ts';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ListStatementRoots } from '#functions/accounts/list-roots/contract.ts';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { GetKeyCode } from '#functions/order-tools/get-key-code/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { ListEndpoints } from '#functions/webhooks/list-endpoints/contract.ts';
import { activeAccount, environment, eventually, first, useReceiver } from '../acceptance/partners.ts';
import type { Named } from '../acceptance/requests.ts';
import { everyRoute, makeOneOfEach } from '../acceptance/requests.ts';
import { journey2 } from '../acceptance/samples.ts';
import { run } from '../acceptance/sample-runs.ts';
import { slow } from '../support/misbehaving.ts';
import { brought, compile, document, journeyArguments, judgeJourney, newFolder, output, program } from './clients.ts';
import { withHeyApi, withOpenApiGenerator, withOpenApiTypescript } from './typescript-journeys.ts';

const { generator, libraries, python } = brought;
/** The generated client of a partner: its code is not changed here. */
const folder = newFolder();
const accountId = activeAccount(first).id;
const inbox = useReceiver();

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Generates a client, and shows that the generator took every name as it is. */
async function generate(language: string, ...more: readonly string[]): Promise<string> {
  const into = join(folder, language);
  const args = ['generate', '-i', document, '-g', language, '-o', into, ...more];
  const { code, out, err } = await run(['java', '-jar', generator, ...args]);
  expect(code, out + err).toBe(0);
  const changed = /renamed|reserved|Inline schema created|cannot be used|\bERROR\b/iu;
  expect((out + err).split('\n').filter((line) => changed.test(line))).toEqual([]);
  return into;
}

test('the generator finds the document valid', async () => {
  expect(await output('java', '-jar', generator, 'validate', '-i', document)).not.toMatch(/^Errors:/mu);
});

test('a client in Python reads everything that there is to read, and plays journey 3', async () => {
  const client = await generate('python');
  const named = await makeOneOfEach(first);
  await eventually(
    () => first.answer(GetKeyCode, { params: named }),
    ({ status }) => status === 200,
  );
  await makeOneEndpointBusy();
  // The first minute with entries is signed ten seconds after its end, by a schedule of every minute.
  await eventually(
    () => first.call(ListStatementRoots, {}),
    ({ body }) => body.data.length > 0,
    300_000,
  );
  const reads = readsOf(named);
  const program = join(import.meta.dirname, 'read_everything.py');
  const result = await run([python, program, environment.baseUrl, await first.token(), JSON.stringify(reads)], {
    env: { PYTHONPATH: client, PYTHONDONTWRITEBYTECODE: '1' },
  });
  expect(result.code, result.err).toBe(0);
  const read = JSON.parse(result.out) as Readonly<Record<string, unknown>>;
  expect(Object.keys(read)).toEqual(Object.keys(reads));
  const listings = Object.entries(read).filter(([operation]) => operation.startsWith('list_'));
  expect(listings.length).toBeGreaterThanOrEqual(9);
  expect(listings.filter(([, entries]) => typeof entries !== 'number' || entries === 0)).toEqual([]);
  const others = Object.entries(read).filter(([operation]) => !operation.startsWith('list_'));
  expect(others.filter(([, outcome]) => outcome !== 'read')).toEqual([]);
  const journey = [python, join(import.meta.dirname, 'journey_3.py'), ...(await journeyArguments(inbox('python').url))];
  const played = await run(journey, { env: { PYTHONPATH: client, PYTHONDONTWRITEBYTECODE: '1' } });
  expect(played.err).toBe('');
  await judgeJourney(played.out.trim());
});

/** An endpoint that is not well, so that the list of these has an entry. */
async function makeOneEndpointBusy(): Promise<void> {
  const events = inbox('slow');
  events.reply(slow(1500));
  const { body } = await first.call(CreateSubscription, { body: journey2(accountId, { webhookUrl: events.url }) });
  await first.call(ForceSubscriptionStatus, { body: { id: body.id, status: 'REJECTED' } });
  await eventually(
    () => first.call(ListEndpoints),
    (response) => response.body.data.length > 0,
  );
}

/** Every operation that reads, with the parameters of its path, as Python writes names. */
function readsOf(named: Named) {
  const snake = (name: string): string => name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(
    everyRoute()
      .filter(({ contract }) => contract.method === 'GET')
      .map(({ contract, ask }) => {
        const params = Object.entries(ask(named).params ?? {}).map(([name, value]) => [snake(name), value]);
        return [snake(contract.operationId), Object.fromEntries(params) as Record<string, unknown>];
      }),
  );
}

/** Lets a program in TypeScript play journey 3 with a client. */
async function playTypeScript(client: string, text: string): Promise<void> {
  const main = await compile(client, text);
  await judgeJourney(await output(process.execPath, main, ...(await journeyArguments(inbox('typescript').url))));
}

test('a client of openapi-generator in TypeScript compiles strictly and plays journey 3', async () => {
  await playTypeScript(await generate('typescript-fetch'), withOpenApiGenerator);
});

test('the types of openapi-typescript compile strictly and play journey 3', async () => {
  const client = join(folder, 'openapi-typescript');
  await output(process.execPath, program('openapi-typescript'), document, '-o', join(client, 'types.ts'));
  await playTypeScript(client, withOpenApiTypescript);
});

test('a client of hey-api compiles strictly and plays journey 3', async () => {
  const client = join(folder, 'hey-api');
  await createClient({ input: document, output: { path: client, tsConfigPath: null }, logs: { level: 'silent' } });
  await playTypeScript(client, withHeyApi);
});

test('a client in Java compiles and plays journey 3', async () => {
  const client = await generate('java', '--library', 'native');
  const source = join(client, 'src/main/java');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.java'));
  const list = join(client, 'sources.txt');
  const main = join(import.meta.dirname, 'Journey3.java');
  writeFileSync(list, [main, ...files.map((name) => join(source, name))].map((name) => `"${name}"`).join('\n'));
  const classes = join(client, 'classes');
  await output('javac', '-nowarn', '-proc:none', '-d', classes, '-cp', libraries.join(delimiter), `@${list}`);
  const path = [classes, ...libraries].join(delimiter);
  await judgeJourney(await output('java', '-cp', path, 'Journey3', ...(await journeyArguments(inbox('java').url))));
});

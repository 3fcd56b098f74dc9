import { build } from 'esbuild';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { GetBalance } from '#functions/accounts/balance/contract.ts';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { GetKeyCode } from '#functions/order-tools/get-key-code/contract.ts';
import { RefundPayIn } from '#functions/pay-ins/refund/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { ListEndpoints } from '#functions/webhooks/list-endpoints/contract.ts';
import { activeAccount, environment, eventually, first, useReceiver } from '../acceptance/partners.ts';
import type { Named } from '../acceptance/requests.ts';
import { everyRoute, makeOneOfEach } from '../acceptance/requests.ts';
import { journey2 } from '../acceptance/samples.ts';
import { root, run } from '../acceptance/sample-runs.ts';
import { slow } from '../support/misbehaving.ts';

/** What `npm run test:generators` brought. */
const { generator, libraries, python } = z
  .object({ generator: z.string(), libraries: z.array(z.string()), python: z.string() })
  .parse(JSON.parse(process.env['TEST_GENERATORS'] ?? ''));
/** What a partner makes of the document with openapi-generator: nobody here writes or mends what comes out. */
const folder = mkdtempSync(join(tmpdir(), 'generated-clients-'));
const document = join(root, 'docs/openapi.json');
const accountId = activeAccount(first).id;
const inbox = useReceiver();
let token = '';

beforeAll(async () => {
  token = await first.token();
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Generates a client, and shows that the generator took every name as it is. */
async function generate(language: string, ...more: readonly string[]): Promise<string> {
  const into = join(folder, language);
  const words = ['generate', '-i', document, '-g', language, '-o', into, ...more];
  const { code, out, err } = await run(['java', '-jar', generator, ...words]);
  expect(code, out + err).toBe(0);
  const changed = /renamed|reserved|Inline schema created|cannot be used|\bERROR\b/iu;
  expect((out + err).split('\n').filter((line) => changed.test(line))).toEqual([]);
  return into;
}

/** What the clients are to read. */
async function lastChange(): Promise<string> {
  return (await first.call(GetBalance, { params: { accountId } })).body.updatedAt;
}

async function output(...command: readonly string[]): Promise<string> {
  const { code, out, err } = await run(command);
  expect(code, out + err).toBe(0);
  return out.trim();
}

test('the generator finds the document valid', async () => {
  expect(await output('java', '-jar', generator, 'validate', '-i', document)).not.toMatch(/^Errors:/mu);
});

test('a client in Python reads everything that there is to read', async () => {
  const client = await generate('python');
  const named = await makeOneOfEach(first);
  await first.call(ForceOrderStatus, { body: { id: named.payInId, status: 'PAID' } });
  await first.call(RefundPayIn, { params: { id: named.payInId }, body: {} });
  await eventually(
    () => first.answer(GetKeyCode, { params: named }),
    ({ status }) => status === 200,
  );
  await makeOneEndpointBusy();
  const reads = readsOf(named);
  const program = join(import.meta.dirname, 'read_everything.py');
  const told = await run([python, program, environment.baseUrl, token, JSON.stringify(reads)], {
    env: { PYTHONPATH: client, PYTHONDONTWRITEBYTECODE: '1' },
  });
  expect(told.code, told.err).toBe(0);
  const read = JSON.parse(told.out) as Readonly<Record<string, unknown>>;
  expect(Object.keys(read)).toEqual(Object.keys(reads));
  const listings = Object.entries(read).filter(([operation]) => operation.startsWith('list_'));
  expect(listings.length).toBeGreaterThanOrEqual(9);
  expect(listings.filter(([, entries]) => typeof entries !== 'number' || entries === 0)).toEqual([]);
  const others = Object.entries(read).filter(([operation]) => !operation.startsWith('list_'));
  expect(others.filter(([, what]) => what !== 'read')).toEqual([]);
});

/** An endpoint that is not well, so that the list of these has an entry. */
async function makeOneEndpointBusy(): Promise<void> {
  const events = inbox('slow');
  events.reply(slow(1500));
  const { body } = await first.call(CreateSubscription, { body: journey2(accountId, { webhookUrl: events.url }) });
  await first.call(ForceSubscriptionStatus, { body: { id: body.id, status: 'REJECTED' } });
  await eventually(
    () => first.call(ListEndpoints),
    (answer) => answer.body.data.length > 0,
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

test('a client in TypeScript compiles strictly and reads', async () => {
  const client = await generate('typescript-fetch');
  const main = join(client, 'main.ts');
  writeFileSync(
    main,
    `import { AccountsApi, Configuration } from './index';
    const [basePath, accessToken, accountId] = process.argv.slice(2) as [string, string, string];
    const { updatedAt } = await new AccountsApi(new Configuration({ basePath, accessToken: \`Bearer \${accessToken}\` })).getBalance({ accountId });
    console.log(updatedAt.toISOString());`,
  );
  const program = ts.createProgram([main], {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  });
  const faults = ts.getPreEmitDiagnostics(program);
  expect(faults.map(({ file, messageText }) => `${file?.fileName}: ${JSON.stringify(messageText)}`)).toEqual([]);
  const outfile = join(client, 'main.mjs');
  await build({ entryPoints: [main], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' });
  expect(await output(process.execPath, outfile, environment.baseUrl, token, accountId)).toBe(await lastChange());
});

test('a client in Java compiles and reads', async () => {
  const client = await generate('java', '--library', 'native');
  const source = join(client, 'src/main/java');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.java'));
  const list = join(client, 'sources.txt');
  const main = join(import.meta.dirname, 'ReadBalance.java');
  writeFileSync(list, [main, ...files.map((name) => join(source, name))].map((name) => `"${name}"`).join('\n'));
  const classes = join(client, 'classes');
  await output('javac', '-nowarn', '-proc:none', '-d', classes, '-cp', libraries.join(delimiter), `@${list}`);
  const path = [classes, ...libraries].join(delimiter);
  const read = await output('java', '-cp', path, 'ReadBalance', environment.baseUrl, token, accountId);
  expect(read).toBe(await lastChange());
});

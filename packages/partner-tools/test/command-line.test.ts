import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { companyOf, keepWebhookSecret, readSandbox, webhookSecretOf } from '#partner-tools/sandbox.ts';
import { partnerTools, runCommand } from '#partner-tools/command.ts';
import { defineEnvironmentTool, printFor, runProgram } from '#partner-tools/command-line.ts';
import { ProblemsFound, ToolFailure } from '#partner-tools/failures.ts';

const folder = mkdtempSync(join(tmpdir(), 'partner-tools-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

let printed: string[];
beforeEach(() => {
  printed = [];
  const print = (text: unknown): boolean => printed.push(String(text)) > 0;
  for (const name of ['log', 'error'] as const) vi.spyOn(console, name).mockImplementation(print);
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockImplementation(print);
});
afterEach(() => vi.restoreAllMocks());

type Run = (name: string | undefined, given: { readonly json?: true; readonly company?: string }) => unknown;

/** Runs a tool with an argument and the options of an environment. */
const runTool = (run: Run, args: readonly string[]) =>
  runProgram(
    defineEnvironmentTool('doctor', 'How to use it.')
      .argument('[NAME]')
      .action(async (name: string | undefined, given: object) => {
        await run(name, given);
      }),
    args,
  );
const failing = (error: Error) => () => Promise.reject(error);

test.each([
  [['--help'], 0, 'How to use it.'],
  [['NAME', '-h'], 0, 'How to use it.'],
  [['--unknown', '--help'], 0, 'Usage: npm run doctor -- [options] [NAME]'],
  [['NAME'], 0, ''],
  [['NAME', 'OTHER'], 2, 'Expected 1 argument but got 2: NAME, OTHER'],
  [['--unknown'], 2, "unknown option '--unknown'"],
  [['--version'], 2, "unknown option '--version'"],
  [['--sandbox'], 2, "option '--sandbox <FILE>' argument missing"],
  [['--sandbox', '--json'], 2, 'the option before --json has no value'],
])('a tool with the arguments %j exits with %d', async (args, code, text) => {
  const calls: unknown[] = [];
  expect(await runTool((name) => calls.push(name), args)).toBe(code);
  expect(calls).toEqual(text === '' ? ['NAME'] : []);
  expect(printed.join('\n')).toContain(text);
  if (code === 2) expect(printed.join('\n')).toContain('How to use it.');
});

test('a tool gets its argument and its options', async () => {
  const calls: unknown[] = [];
  await runTool((...given) => calls.push(given), ['--company', 'c', 'NAME', '--sandbox=s', '--json']);
  expect(calls).toEqual([['NAME', { company: 'c', sandbox: 's', json: true }]]);
});

test.each([
  [[], 2],
  [['--help'], 0],
  [['help'], 0],
  [['nothing'], 2],
  [['constructor'], 2],
])('the program of all tools with the arguments %j lists them and exits with %d', async (args, code) => {
  expect(await runCommand(partnerTools, args)).toBe(code);
  const text = printed.join('\n');
  for (const name of Object.keys(partnerTools)) expect(text).toContain(`  npm run ${name} `);
  expect(text).toContain('Exit code: 0 success, 1 failure, 2 the command line is wrong.');
});

test.each([
  ['login', ['--base-url <URL>', '--token-url <URL>', '--scope <SCOPE>', '--client-id <ID>', '--name <NAME>']],
  ['doctor', ['--company <ID>', 'WEBHOOK.TEST', '1 a problem']],
  ['listen', ['--forward-to URL', '--events', '--since', '--cursor', '--delays', '--poll', '--company', 'kill -9']],
  ['trigger', ['<EVENT>', '--account', '--amount', '--to', '--webhook-url', '--company', 'payin.paid', '15000.01']],
  ['check-receiver', ['<URL>', '--secret', '--within', '--order', '--code', '--company', '1 the receiver failed']],
  [
    'scenario',
    ['[NAME]', '--account', '--webhook-url', '--bank <NAME>', '--qr-code', '--company', 'payout-lost-reply', '"all"'],
  ],
  ['rotate', ['--overlap <SECONDS>', '86400', '604800', '--company']],
])('the help of %s has its options and facts', async (name, facts) => {
  expect(await runCommand(partnerTools, [name, '--help'])).toBe(0);
  const text = printed.join('\n');
  for (const fact of [`Usage: npm run ${name} -- `, '--json', '--sandbox <FILE>', ...facts])
    expect(text).toContain(fact);
});

test.each([
  [
    'what the user can mend',
    new ToolFailure('There is no such thing.', 'Make one.'),
    'There is no such thing.\n  Make one.',
  ],
  ['a refused connection', new Error('connect ECONNREFUSED 127.0.0.1:9'), 'Start an environment with "npm start"'],
])('%s is printed without a stack trace, and the tool exits with 1', async (_name, error, text) => {
  expect(await runTool(failing(error), [])).toBe(1);
  expect(printed.join('\n')).toContain(text);
  expect(printed.join('\n')).not.toContain('    at ');
});

test('a tool with --json prints a line for each record, no text that has no record, and a failure as a record', async () => {
  const run: Run = (_name, given) => {
    const print = printFor(given);
    print('for people');
    print('for both', { kind: 'fact', of: 1 });
    return Promise.reject(new ToolFailure('Broken.', 'Mend it.'));
  };
  expect([await runTool(run, []), printed]).toEqual([
    1,
    ['for people', 'for both', expect.stringContaining('✘ Broken.')],
  ]);
  printed.length = 0;
  expect(await runTool(run, ['--json'])).toBe(1);
  const records = printed.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as unknown);
  expect(records).toEqual([
    { kind: 'fact', of: 1 },
    { kind: 'failure', message: 'Broken.', next: 'Mend it.' },
  ]);
});

test('a tool exits with 1, and prints no more, when it found problems', async () => {
  expect([await runTool(failing(new ProblemsFound()), ['--json']), printed]).toEqual([1, []]);
});

const account = { id: 'a', status: 'ACTIVE', fullName: 'Ana', document: { type: 'CPF', number: '52998224725' } };
const company = (name: string) => ({
  companyId: `id-${name}`,
  name,
  clientId: 'client',
  clientSecret: 'secret',
  webhookSecret: 'whsec_old',
  accounts: [account],
});
const addresses = { baseUrl: 'http://127.0.0.1:3000', tokenUrl: 'http://127.0.0.1:3000/token', scope: 'scope' };

function sandboxWith(content: unknown): string {
  const file = join(folder, 'sandbox.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

test('a company is found by name or id; one that lacks something is passed over', () => {
  const file = sandboxWith({ ...addresses, companies: [{ companyId: 'new' }, company('one'), company('two')] });
  const sandbox = readSandbox(file);
  expect(companyOf(sandbox).name).toBe('one');
  expect(companyOf(sandbox, 'two').companyId).toBe('id-two');
  expect(companyOf(sandbox, 'id-two').name).toBe('two');
  expect(() => companyOf(sandbox, 'three')).toThrow('has no company three');
});

test('a new webhook secret is kept with its company, and no other value of the sandbox file changes', () => {
  const file = sandboxWith({ ...addresses, companies: [company('one'), company('two')], more: { kept: true } });
  keepWebhookSecret(file, 'id-two', 'whsec_new');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    ...addresses,
    companies: [company('one'), { ...company('two'), webhookSecret: 'whsec_new' }],
    more: { kept: true },
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test.each(['{', { baseUrl: 1 }])('a file is refused when it is no sandbox file: %j', (content) => {
  expect(() => readSandbox(sandboxWith(content))).toThrow('is not a sandbox file');
});

test('a company is valid without secret and accounts, and an account that lacks a field is passed over', () => {
  const { companyId, name, clientId, clientSecret } = company('one');
  const bare = { companyId, name, clientId, clientSecret };
  const found = companyOf(readSandbox(sandboxWith({ ...addresses, companies: [bare] })));
  expect(found).toEqual({ ...bare, webhookSecret: '', accounts: [] });
  expect(() => webhookSecretOf(found)).toThrow('has no webhookSecret of one');
  const partly = { ...bare, accounts: [{ id: 'b', status: 'ACTIVE' }, account] };
  expect(companyOf(readSandbox(sandboxWith({ ...addresses, companies: [partly] }))).accounts).toEqual([account]);
});

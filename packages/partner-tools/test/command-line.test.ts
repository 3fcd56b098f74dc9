import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { companyOf, keepWebhookSecret, readSandbox, webhookSecretOf } from '#partner-tools/sandbox.ts';
import { environmentOptions, runTool, ToolFailure } from '#partner-tools/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'partner-tools-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

let printed: string[];
beforeEach(() => {
  printed = [];
  for (const name of ['log', 'error'] as const)
    vi.spyOn(console, name).mockImplementation((text: string) => void printed.push(text));
});
afterEach(() => vi.restoreAllMocks());

const tool = (run: () => Promise<boolean>) => ({
  usage: 'How to use it.',
  options: environmentOptions,
  operands: 1,
  run,
});
const well = () => Promise.resolve(true);
const failing = (error: Error) => () => Promise.reject(error);

test.each([
  [['--help'], 0, 'How to use it.'],
  [['NAME', '-h'], 0, 'How to use it.'],
  [['NAME'], 0, undefined],
  [['NAME', 'OTHER'], 2, 'Too many arguments: NAME OTHER'],
  [['--unknown'], 2, "Unknown option '--unknown'"],
  [['--sandbox'], 2, "Option '--sandbox <value>' argument missing"],
])('a tool with the arguments %j exits with %d', async (args, code, text) => {
  expect(await runTool(tool(well), args)).toBe(code);
  expect(printed.join('\n')).toContain(text ?? '');
});

test.each([
  [
    'what the user can mend',
    new ToolFailure('There is no such thing.', 'Make one.'),
    'There is no such thing.\n  Make one.',
  ],
  ['a refused connection', new Error('connect ECONNREFUSED 127.0.0.1:9'), 'Start an environment with "npm start"'],
])('%s is printed without a stack trace, and the tool exits with 1', async (_name, error, text) => {
  expect(await runTool(tool(failing(error)), [])).toBe(1);
  expect(printed.join('\n')).toContain(text);
  expect(printed.join('\n')).not.toContain('    at ');
});

test('a tool with --json prints a line for each record, no text that has no record, and a failure as a record', async () => {
  const run: Parameters<typeof runTool>[0]['run'] = (_values, _words, print) => {
    print('for people');
    print('for both', { kind: 'fact', of: 1 });
    return Promise.reject(new ToolFailure('Broken.', 'Mend it.'));
  };
  const plain = { usage: '', options: environmentOptions, run };
  expect([await runTool(plain, []), printed]).toEqual([
    1,
    ['for people', 'for both', expect.stringContaining('✘ Broken.')],
  ]);
  printed.length = 0;
  expect(await runTool(plain, ['--json'])).toBe(1);
  const records = printed.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as unknown);
  expect(records).toEqual([
    { kind: 'fact', of: 1 },
    { kind: 'failure', message: 'Broken.', next: 'Mend it.' },
  ]);
});

test('a tool exits with 1 when its run returns false', async () => {
  expect(
    await runTool(
      tool(() => Promise.resolve(false)),
      [],
    ),
  ).toBe(1);
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

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '#infra/operator/main.ts';
import { flagOf } from '#infra/operator/command.ts';
import { commands } from '#infra/operator/commands.ts';
import { connectTarget } from '#infra/operator/target.ts';
import { maxPayoutsAMinute } from '#shared/accounts/model.ts';
import { maxShards } from '#shared/platform/ledger/balance.ts';
import { UsageError } from '#infra/operator/values.ts';
import { memoryStore } from '../support/memory-store.ts';
import { each } from '../support/each.ts';
import { CorruptItem, StoreUnavailable } from '#shared/platform/table/store.ts';
import { testOperator } from './terminal.ts';

const id = '00000000-0000-4000-8000-000000000000';

describe('the command line', () => {
  it('lists all commands and exits with 2 when no command is given', async () => {
    const { code, out, err } = await testOperator().run();
    expect({ code, out }).toEqual({ code: 2, out: '' });
    for (const name of Object.keys(commands)) expect(err).toContain(name);
  });

  it.each([['--help'], ['help']])('prints its usage when it is called with %s', async (word) => {
    const { out, ...rest } = await testOperator().run(word);
    expect(rest).toEqual({ code: 0, err: '' });
    for (const name of Object.keys(commands)) expect(out).toContain(name);
    expect(out).toMatch(
      /^Usage: npm run operator -- .*Exit codes: 0 done; 1 refused, failed or problems found; 2 wrong usage\.$/su,
    );
  });

  it('has every command in one group of its help, and none beside them', async () => {
    const { out } = await testOperator().run('--help');
    const groups = out
      .split(/^(?=\S)/mu)
      .filter((part) => /^[A-Z][\w ]+:\n/u.test(part) && !part.startsWith('Options'));
    const listed = groups.flatMap((group) => [...group.matchAll(/^ {2}(\S+)/gmu)].map(([, name]) => name));
    expect(listed.toSorted()).toEqual([...Object.keys(commands), 'help'].toSorted());
    const titles = groups.map((group) => group.split(':')[0]);
    const expected = ['Look first', 'Onboarding', 'Banks', 'Notifications', 'Money', 'Table and restore'];
    expect(titles.filter((title) => title !== 'Commands')).toEqual(expected);
  });

  it.each(Object.keys(commands))('prints the usage of %s with all its options', async (name) => {
    const { code, out } = await testOperator().run(name, '--help');
    expect(code).toBe(0);
    for (const [parameter, option] of Object.entries(commands[name]!.options))
      expect(out).toContain(`--${flagOf(parameter, option)} `);
  });

  it('prints how many shards and payouts a minute an account may have', async () => {
    const help = async (name: string) => (await testOperator().run(name, '--help')).out.replaceAll(/\s+/gu, ' ');
    expect(await help('account:shards')).toContain(`A number from 1 to ${maxShards}.`);
    expect(await help('account:limit')).toContain(`A number from 0 to ${maxPayoutsAMinute}.`);
  });

  it('has every command on the page docs/operator.md', () => {
    const page = readFileSync(new URL('../../docs/operator.md', import.meta.url), 'utf8');
    for (const name of each(Object.keys(commands))) expect(page).toMatch(new RegExp(`\\| .*\`${name}[ \`]`, 'u'));
  });

  it.each([
    ['an unknown command', ['company:delete']],
    ['the name of a property of every object', ['constructor']],
    ['an unknown option', ['company:create', '--name', 'A', '--nmae', 'B']],
    ['an option without its value', ['company:create', '--name']],
    ['an option without its value before another one', ['company:create', '--name', '--json']],
    ['an option given twice', ['company:create', '--name', 'A', '--name', 'B']],
    ['a missing option', ['company:create']],
    ['an argument that is no option', ['company:create', 'A']],
    ['a name with control characters', ['company:create', '--name', 'A\u001b[2J']],
  ])('refuses %s', async (_what, args) => {
    const store = memoryStore();
    const { code, out, err } = await testOperator('local', store).run(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).not.toBe('');
    expect(store.all()).toEqual([]);
  });

  it('refuses an invalid value without printing it, because it may be a secret', async () => {
    const { code, err } = await testOperator().run('client:create', '--company', id, '--api-key-value', 'hush');
    expect({ code, err: err.split('\n')[0] }).toEqual({
      code: 2,
      err: '--api-key-value must have 20 to 128 visible ASCII characters.',
    });
  });

  it.each([
    [new StoreUnavailable('no answer'), /outcome|unknown/u],
    [new CorruptItem('A company item is malformed: name.'), /malformed: name/u],
    [
      Object.assign(new Error('non-existent'), { name: 'ResourceNotFoundException' }),
      /--table, --restored.*AWS_REGION/u,
    ],
  ])('prints the cause of a failure: %s', async (error, expected) => {
    const broken = { ...memoryStore(), query: () => Promise.reject(error) };
    const { code, err } = await testOperator('local', broken).run('company:list');
    expect(code).toBe(1);
    expect(err).toMatch(expected);
  });

  it('passes --table, --local-dir and --clients-file to the target', async () => {
    const targets: unknown[] = [];
    const silent = { out: () => undefined, err: () => undefined };
    const args = ['company:list', '--table', 'orders-hml', '--local-dir', 'x', '--clients-file', 'y'];
    await runCommandLine(args, (target) => (targets.push(target), testOperator()), silent);
    expect(targets).toEqual([{ table: 'orders-hml', localDir: 'x', clientsFile: 'y' }]);
  });
});

describe('the target', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'partner-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const endpoints = (content: string) => {
    writeFileSync(join(folder, 'endpoints.json'), content);
  };

  it('is the local environment of the folder, which brings an issuer and an ISPB', () => {
    endpoints(JSON.stringify({ dynamodb: 'http://127.0.0.1:1', sqs: 'http://127.0.0.1:2', tableName: 'orders' }));
    for (const operator of [connectTarget({ localDir: folder }, {}), connectTarget({}, { LOCAL_DIR: folder })]) {
      expect(operator.registry).toBeDefined();
      expect(operator.ispb).toMatch(/^\d{8}$/u);
    }
  });

  it('is a table on AWS when one is named: no issuer of ours, unless its file is named too', () => {
    expect(connectTarget({ table: 'orders' }, { LOCAL_DIR: folder })).toMatchObject({ registry: undefined });
    expect(connectTarget({ table: 'orders', clientsFile: join(folder, 'c.json') }, {}).registry).toBeDefined();
  });

  it.each([
    ['no such file', undefined],
    ['half an object in it', '{"dynamodb"'],
    ['an empty object in it', '{}'],
  ])('is refused when its folder has no valid endpoints.json, but %s', (_what, content) => {
    if (content !== undefined) endpoints(content);
    expect(() => connectTarget({ localDir: folder }, {})).toThrow(UsageError);
    expect(() => connectTarget({ localDir: folder }, {})).toThrow(/npm start.*--table/u);
  });
});

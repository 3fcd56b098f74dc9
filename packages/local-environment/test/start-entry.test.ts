import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { engineNames } from '@banking-order/cdk-local';
import { bankNames } from '@banking-order/fake-bank';
import { nextSteps, readOptions } from '#local-environment/options.ts';
import { root } from '#test/architecture/sources.ts';

const entry = join(root, 'packages/local-environment/src/start.cjs');
const folder = mkdtempSync(join(tmpdir(), 'start-entry-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function run(file: string, args: string[] = []) {
  return new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
    execFile(process.execPath, [file, ...args], (error, out, err) => {
      resolve({ code: error === null ? 0 : error.code, out, err });
    });
  });
}

describe('npm start', () => {
  test('prints its usage with --help, and does not start the environment', async () => {
    const { code, out } = await run(entry, ['--help']);
    expect(code).toBe(0);
    expect(out).toContain('Usage: npm start');
    expect(out).not.toContain('ready ');
  });

  test('reads the variables that its usage and README.md name, with the defaults given there', async () => {
    const read = new Set<string>();
    const options = readOptions(
      new Proxy<Record<string, string>>({}, { get: (_, name) => void read.add(String(name)) }),
    );
    const defaults: Readonly<Record<string, string | undefined>> = {
      PORT: String(options.port),
      LOCAL_DIR: options.folder,
      RETRY_DELAYS_SECONDS: String(options.retryDelaysSeconds),
      PROBE_DELAYS_SECONDS: String(options.probeDelaysSeconds),
      NAME_SERVERS: undefined,
      SCHEDULE_SECONDS: undefined,
      AWS_ENDPOINT_URL_DYNAMODB: undefined,
    };
    expect([...read].sort()).toEqual(Object.keys(defaults).sort());

    const { out } = await run(entry, ['--help']);
    const variables = out.slice(out.indexOf('Variables:'), out.indexOf('Exit codes:'));
    const usage = [...variables.matchAll(/^  ([A-Z]\S*) .*?(?:\(([^()]*)\))?$/gmu)].map(([, name, value]) => [
      name,
      value,
    ]);
    expect(Object.fromEntries(usage)).toEqual(defaults);

    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const [table = ''] = /^\| Variable [^]*?\n\n/mu.exec(readme) ?? [];
    const rows = [...table.matchAll(/^\| `(\S+)` .*\| (?:`(.*)`|–) +\|$/gmu)].map(([, name, value]) => [name, value]);
    expect(Object.fromEntries(rows)).toEqual(defaults);
  });

  test.each([
    '--prot',
    '--engine',
    '--engine sqlite',
    '--engine embedded --prot',
    '--fresh --prot',
    '--engine --fresh',
    '--bank',
    '--bank simulated',
    '--fresh --bank api-pix --prot',
  ])('refuses other arguments: %s', async (given) => {
    const { code, err } = await run(entry, given.split(' '));
    expect([code, err.split('\n')[0]]).toEqual([2, `npm start does not accept ${given}.`]);
  });

  test('passes on the names of every engine and bank, and ignores arguments after #', async () => {
    mkdirSync(join(folder, 'packages/local-environment/src'), { recursive: true });
    mkdirSync(join(folder, 'tools'));
    for (const file of ['package.json', 'tools/gate.cjs', 'packages/local-environment/src/start.cjs'])
      copyFileSync(join(root, file), join(folder, file));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const file = join(folder, 'packages/local-environment/src/start.cjs');
    const main = "console.log('started with', process.argv.slice(2).join(' '));";
    writeFileSync(join(folder, 'packages/local-environment/src/main.ts'), main);
    for (const [name, bank] of engineNames.flatMap((name) => bankNames.map((bank) => [name, bank] as const))) {
      const { code, out } = await run(file, [
        '--engine',
        name,
        '--bank',
        bank,
        '--fresh',
        '#',
        'the',
        'whole',
        'service',
      ]);
      expect([code, out]).toEqual([
        0,
        `Starting database, queue and functions; changed functions are built first …\nstarted with --engine ${name} --bank ${bank} --fresh\n`,
      ]);
    }
    expect((await run(entry, ['--help'])).out).toContain(
      `NAME              database of the tables: ${engineNames[0]} (default), `,
    );
  });
});

test('options are read in any order, and unknown ones are refused', () => {
  expect(readOptions({}, ['--fresh', '--bank', 'api-pix', '--engine', 'embedded'])).toMatchObject({
    ...{ bank: 'api-pix', fresh: true, engine: 'embedded' },
  });
  for (const bank of bankNames) expect(readOptions({}, ['--bank', bank])).toMatchObject({ bank });
  expect(readOptions({}, [])).not.toHaveProperty('bank');
  for (const args of [['--bank'], ['--bank', 'simulated'], ['--bank', 'api-pix', '--prot']])
    expect(() => readOptions({}, args)).toThrow(/^npm start accepts/u);
});

test('the next steps are scripts, addresses and files that are there', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const text = nextSteps('http://127.0.0.1:3000');
  const named = [...text.matchAll(/npm run (\S+)/gu)].map(([, name]) => name);
  expect(named).toContain('demo');
  for (const name of named) expect(Object.keys(scripts)).toContain(name);
  for (const [file] of text.matchAll(/\b[\w/]+\.md\b/gu)) expect(readFileSync(join(root, file), 'utf8')).not.toBe('');
});

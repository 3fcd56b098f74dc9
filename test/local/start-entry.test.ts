import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { afterAll, describe, expect, test } from 'vitest';
import { engineNames, readOptions } from '#infra/local/options.ts';
import { nextSteps } from '#infra/local/next-steps.ts';
import { root } from '../architecture/sources.ts';

const entry = join(root, 'infra/local/start.cjs');
const folder = mkdtempSync(join(tmpdir(), 'start-entry-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Runs a file; `options` are Node's own. */
function run(file: string, words: string[] = [], options: string[] = []) {
  return new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
    execFile(process.execPath, [...options, file, ...words], (error, out, err) => {
      resolve({ code: error === null ? 0 : error.code, out, err });
    });
  });
}

describe('npm start', () => {
  test('with --help says what it does and starts nothing', async () => {
    const { code, out } = await run(entry, ['--help']);
    expect(code).toBe(0);
    expect(out).toContain('Usage: npm start');
    expect(out).not.toContain('ready ');
  });

  test('reads the variables that its usage and README.md name, with the defaults that they say', async () => {
    const read = new Set<string>();
    const options = readOptions(
      new Proxy<Record<string, string>>({}, { get: (_, name) => void read.add(String(name)) }),
    );
    const defaults: Readonly<Record<string, string | undefined>> = {
      PORT: String(options.port),
      LOCAL_DIR: options.folder,
      RETRY_DELAYS_SECONDS: options.retryDelaysSeconds,
      PROBE_DELAYS_SECONDS: options.probeDelaysSeconds,
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

  test.each(['--prot', '--engine', '--engine sqlite', '--engine embedded --prot'])(
    'refuses other words: %s',
    async (given) => {
      const { code, err } = await run(entry, given.split(' '));
      expect([code, err.split('\n')[0]]).toEqual([2, `npm start takes no ${given}.`]);
    },
  );

  test('passes on the name of every engine, and of no other', async () => {
    const file = join(folder, 'words.cjs');
    copyFileSync(entry, file);
    writeFileSync(join(folder, 'main.ts'), "console.log('started with', process.argv.slice(2).join(' '));");
    for (const name of engineNames) {
      const { code, out } = await run(file, ['--engine', name]);
      expect([code, out]).toEqual([0, `started with --engine ${name}\n`]);
    }
    expect((await run(entry, ['--help'])).out).toContain(
      `NAME              what keeps the tables: ${engineNames[0]}, `,
    );
  });

  test('on a Node that is too old says what to do, in one line', async () => {
    const pretend = join(folder, 'old.cjs');
    writeFileSync(pretend, "Object.defineProperty(process.versions, 'node', { value: '12.22.0' });");
    const { code, err } = await run(entry, [], ['--require', pretend]);
    expect(code).toBe(1);
    expect(err).toMatch(/^Node 12\.22\.0 is too old: .*npm ci.*\n$/u);
  });

  test('without its packages says what to do, in one line', async () => {
    copyFileSync(entry, join(folder, 'start.cjs'));
    writeFileSync(join(folder, 'main.ts'), "import 'a-package-that-is-not-there';");
    const { code, err } = await run(join(folder, 'start.cjs'));
    expect(code).toBe(1);
    expect(err).toMatch(/^Packages are missing: run "npm ci".*\n$/u);
  });

  test('begins in words that every Node can read', async () => {
    const text = readFileSync(entry, 'utf8');
    const [old, now] = await Promise.all(
      ['es5', 'esnext'].map((target) => transform(text, { target, minifySyntax: false })),
    );
    expect(old?.code).toBe(now?.code);
    expect(text).not.toMatch(/,\s*\)/u);
  });
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

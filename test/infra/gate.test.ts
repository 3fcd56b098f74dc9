import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { transform } from 'esbuild';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from '../architecture/sources.ts';

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
};
const ownScripts = Object.entries(scripts).filter(([, command]) => /\bnode\b/u.test(command));
const entries = ['tools/gate.cjs', 'packages/local-environment/src/start.cjs'];

const folder = mkdtempSync(join(tmpdir(), 'gate-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const pretend = join(folder, 'old.cjs');
writeFileSync(pretend, "Object.defineProperty(process.versions, 'node', { value: '12.22.0' });");

/** Runs a command line as npm does. */
function run(command: string, { cwd = root, env = {} }: { cwd?: string; env?: Record<string, string> } = {}) {
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  return new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
    const options = { cwd, env: { ...process.env, NODE_OPTIONS: '', ...env, PATH: path } };
    execFile('/bin/sh', ['-c', command], options, (error, out, err) => {
      resolve({ code: error === null ? 0 : error.code, out, err });
    });
  });
}

/** A project of its own, whose one tool is this text; with the packages of this one, or without any. */
function projectOf(name: string, main: string, packages: 'installed' | 'missing'): string {
  const own = join(folder, name);
  mkdirSync(join(own, 'tools'), { recursive: true });
  for (const file of ['package.json', 'tools/gate.cjs']) copyFileSync(join(root, file), join(own, file));
  if (packages === 'installed') symlinkSync(join(root, 'node_modules'), join(own, 'node_modules'));
  writeFileSync(join(own, 'main.mjs'), main);
  return own;
}

describe('the gate', () => {
  test('runs before every program of the project that npm runs', () => {
    expect(ownScripts.length).toBeGreaterThan(20);
    const open = ownScripts.filter(([, command]) => !entries.some((file) => command.includes(file)));
    expect(open).toEqual([]);
    expect(readFileSync(join(root, 'packages/local-environment/src/start.cjs'), 'utf8')).toContain(
      "require('../../../tools/gate.cjs')",
    );
  });

  test.each(ownScripts)(
    'prints one line with the commands to run when Node is too old for npm run %s',
    async (name, command) => {
      const env = { NODE_OPTIONS: `--require ${pretend}`, npm_lifecycle_event: name };
      const { code, out, err } = await run(command, { env });
      expect([code, out]).toEqual([1, '']);
      const again = ['start', 'test'].includes(name) ? `npm ${name}` : `npm run ${name}`;
      expect(err).toMatch(new RegExp(`^Node 12\\.22\\.0 is too old: .*run "npm ci", then "${again}".*\\n$`, 'u'));
    },
  );

  test('prints one line with the command to run when packages are missing', async () => {
    const cwd = projectOf('bare', "import 'zod';", 'missing');
    const { code, err } = await run('node -r ./tools/gate.cjs main.mjs', { cwd });
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^Packages are missing \(\S+\): run "npm ci", then .*\.\n$/u),
    ]);
  });

  test('drops the arguments from # on, and passes all others', async () => {
    const cwd = projectOf('words', 'console.log(JSON.stringify(process.argv.slice(2)));', 'installed');
    const { out } = await run("node -r ./tools/gate.cjs main.mjs one --two '#' three", { cwd });
    expect(JSON.parse(out)).toEqual(['one', '--two']);
    const { out: joined } = await run("node -r ./tools/gate.cjs main.mjs one#two '#three' four", { cwd });
    expect(JSON.parse(joined)).toEqual(['one#two']);
  });

  test('keeps the exit code of a tool when its output pipe is closed early', async () => {
    const main = `for (let line = 0; line < 300; line += 1) {
      console.log(line, 'x'.repeat(1000));
      await new Promise((done) => setTimeout(done, 1));
    }
    process.exitCode = 3;`;
    const cwd = projectOf('pipe', main, 'installed');
    const { out, err } = await run('{ node -r ./tools/gate.cjs main.mjs; echo $? >code; } | head -1', { cwd });
    expect([out.slice(0, 3), err, readFileSync(join(cwd, 'code'), 'utf8')]).toEqual(['0 x', '', '3\n']);
  });

  test.each(entries)('starts in a file with syntax that every Node can parse: %s', async (file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const [old, now] = await Promise.all(
      ['es5', 'esnext'].map((target) => transform(text, { target, minifySyntax: false })),
    );
    expect(old?.code).toBe(now?.code);
    expect(text).not.toMatch(/,\s*\)/u);
  });
});

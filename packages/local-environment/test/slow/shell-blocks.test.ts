import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { root } from '#test/architecture/sources.ts';
import { needsPrograms } from '#test/support/programs.ts';
import { paste, pastingShells, shellBlocks, shellBlocksIn } from '#test/support/shell-blocks.ts';

const folder = mkdtempSync(join(tmpdir(), 'shell-blocks-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Lines of a block on which a comment begins: `#` at the beginning of a word, outside of quotes. */
function comments(block: string): readonly string[] {
  const bare = block.replaceAll(/\\.|'[^']*'|"(?:\\.|[^"\\])*"/gsu, (quoted) => quoted.replaceAll(/[^\n]/gu, 'q'));
  return bare.split('\n').flatMap((line, at) => (/(?:^|[\s;&|(])#/u.test(line) ? [block.split('\n')[at] ?? ''] : []));
}

test('no document has a comment on a command line, which zsh takes for arguments', () => {
  const blocks = shellBlocks();
  expect(blocks.length).toBeGreaterThan(20);
  expect(blocks.flatMap(({ path, text }) => comments(text).map((line) => `${path}: ${line}`))).toEqual([]);
  expect(blocks.filter(({ language }) => language !== 'sh').map(({ path }) => path)).toEqual([]);
});

test('the check finds comments in shell blocks, and no # in quotes, in words or in other blocks', () => {
  const sh = '# A\n\n```sh\nnpm start # one\n# two\n```\n\n';
  const others = '```json\n# three\n```\n\n```\na # picture\n```\n\n1. b\n\n   ```\n   npm c # four\n   ```\n';
  expect(shellBlocksIn('a.md', sh + others).flatMap(({ text }) => comments(text))).toEqual([
    'npm start # one',
    '# two',
    '   npm c # four',
  ]);
  expect(comments('a "b # c" \'d # e\' f#g "$(h \'#\')" \\# i ${#j}')).toEqual([]);
});

/** What these programs are called with, a line each, instead of what they do. */
const programs = ['npm', 'npx', 'node', 'curl', 'git', 'aws', 'az', 'docker', 'python3', 'java'];
const stubs = join(folder, 'stubs');
const record = join(folder, 'record');
mkdirSync(stubs);
cpSync(join(root, 'docs/samples/environment.sh'), join(folder, 'docs/samples/environment.sh'));
const stub = `#!/bin/sh
printf '%s\\n' "$(printf '<%s>' "\${0##*/}" "$@" | tr '\\n' ' ')" >>'${record}'
echo answer
`;
for (const program of programs) writeFileSync(join(stubs, program), stub, { mode: 0o755 });
const env = { ...process.env, PATH: [stubs, '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter) };

/** The calls of the programs, whatever the order in which a pipe begins them. */
async function callsOf(run: () => Promise<unknown>): Promise<readonly string[]> {
  writeFileSync(record, '');
  await run();
  return readFileSync(record, 'utf8').split('\n').filter(Boolean).toSorted();
}

test.for(pastingShells)('%s runs every pasted block as a script does', async (shell, context) => {
  needsPrograms(context, [shell]);
  const used = new Set<string>();
  for (const { path, text } of shellBlocks()) {
    // What stands in angle brackets is for the reader to fill in.
    const lines = text.replaceAll(/<[^<>\n]+>/gu, 'filled-in');
    // A bash whose input is a socket may take itself for a remote one, and read the files of its user.
    const script = ['--norc', '-c', `${lines}\ntrue`];
    const expected = await callsOf(() => promisify(execFile)('bash', script, { cwd: folder, env }));
    const done = await callsOf(() => paste(shell, lines, folder, env));
    expect(done, `${path}:\n${text}`).toEqual(expected);
    for (const call of expected) used.add(call);
  }
  expect(used.size).toBeGreaterThan(40);
});

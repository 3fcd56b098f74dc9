import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { refuseUnwatched } from '#infra/aws/kept-bundles.ts';
import { newestBuild } from '#infra/aws/newest-build.ts';

const root = mkdtempSync(join(tmpdir(), 'newest-build-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

const files = ['handler.ts', 'bundle.ts'].map((file) => join(root, file));

/** A cache of its own, and a maker that copies the first file. */
function cacheOf(name: string, whileMaking: (buildCount: number) => void = () => undefined) {
  for (const file of files) writeFileSync(file, 'first');
  let buildCount = 0;
  const make = (folder: string): Promise<void> => {
    buildCount += 1;
    mkdirSync(folder);
    writeFileSync(join(folder, 'copy'), readFileSync(files[0]!));
    whileMaking(buildCount);
    return Promise.resolve();
  };
  const cache = join(root, name);
  return { cache, newest: () => newestBuild(cache, () => files, make), made: () => buildCount };
}

test('a kept folder is built again only when a source file changes its content or is removed', async () => {
  const { newest, made: buildCount } = cacheOf('again');
  const first = await newest();
  utimesSync(files[1]!, 1, 1);
  expect([await newest(), buildCount()]).toEqual([first, 1]);
  // As long as before, and as old.
  writeFileSync(files[1]!, 'other');
  utimesSync(files[1]!, 1, 1);
  const second = await newest();
  expect([second === first, buildCount()]).toEqual([false, 2]);
  rmSync(files[1]!);
  expect([first, second]).not.toContain(await newest());
  expect(buildCount()).toBe(3);
  writeFileSync(files[1]!, 'first');
  expect([await newest(), buildCount()]).toEqual([first, 3]);
});

test('a folder is not kept, but built again, when a source file changes during the build', async () => {
  const {
    cache,
    newest,
    made: buildCount,
  } = cacheOf('meanwhile', (times) => {
    if (times === 1) writeFileSync(files[0]!, 'changed');
  });
  const folder = await newest();
  expect([readFileSync(join(folder, 'copy'), 'utf8'), buildCount()]).toEqual(['changed', 2]);
  writeFileSync(files[0]!, 'first');
  expect(readFileSync(join(await newest(), 'copy'), 'utf8')).toBe('first');
  expect(readdirSync(cache)).toHaveLength(2);
});

test('two concurrent builds of the same files end with one folder', async () => {
  const { cache, newest } = cacheOf('at-once');
  const [one, other] = await Promise.all([newest(), newest()]);
  expect(one).toBe(other);
  expect(readdirSync(cache)).toHaveLength(1);
});

test('a kept folder is removed when it was not used for an hour and another one is built', async () => {
  const { newest } = cacheOf('old');
  const first = await newest();
  utimesSync(first, 1, 1);
  writeFileSync(files[0]!, 'changed');
  const second = await newest();
  expect([existsSync(first), existsSync(second)]).toEqual([false, true]);
  utimesSync(second, 1, 1);
  await newest();
  writeFileSync(files[0]!, 'once more');
  await newest();
  expect(existsSync(second)).toBe(true);
});

test('a build of functions is refused when one of its files is not watched for changes', () => {
  const input = { bytes: 1, imports: [] };
  const watched = [join(import.meta.dirname, '../../shared/core/money.ts')];
  const inputs = { 'shared/core/money.ts': input, 'node_modules/jose/index.js': input };
  expect(() => {
    refuseUnwatched({ inputs }, watched);
  }).not.toThrow();
  expect(() => {
    refuseUnwatched({ inputs: { ...inputs, 'docs/openapi.json': input } }, watched);
  }).toThrow('lacks docs/openapi.json.');
});

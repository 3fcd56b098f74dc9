import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { afterAll, expect, test } from 'vitest';
import { newestBundles } from '../../infra/local/function-bundles.ts';

const root = mkdtempSync(join(tmpdir(), 'bundles-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

test('bundles are made again when a file of theirs or of their settings has changed, and only then', async () => {
  for (const file of ['handler.ts', 'bundle.ts']) writeFileSync(join(root, file), 'first');
  let made = 0;
  const bundle = (outdir: string): Promise<Metafile> => {
    made += 1;
    mkdirSync(outdir);
    return Promise.resolve({ inputs: { 'handler.ts': { bytes: 0, imports: [] } }, outputs: {} });
  };
  const newest = () => newestBundles(join(root, 'cache'), { bundle, root, settings: ['bundle.ts'] });
  const first = await newest();
  expect([await newest(), made]).toEqual([first, 1]);
  writeFileSync(join(root, 'handler.ts'), 'changed');
  const second = await newest();
  expect([second === first, made]).toEqual([false, 2]);
  utimesSync(join(root, 'bundle.ts'), 1, 1);
  expect([await newest(), made]).not.toContain(second);
  rmSync(join(root, 'handler.ts'));
  await newest();
  expect(made).toBe(4);
});

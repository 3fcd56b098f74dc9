import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { newestMade } from '#infra/local/template/saved-template.ts';

const root = mkdtempSync(join(tmpdir(), 'bundles-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

test('what is made of files is made again when one of them or a setting has changed, and only then', async () => {
  for (const file of ['handler.ts', 'bundle.ts']) writeFileSync(join(root, file), 'first');
  let made = 0;
  const make = (folder: string): Promise<void> => {
    made += 1;
    mkdirSync(folder);
    return Promise.resolve();
  };
  const files = ['handler.ts', 'bundle.ts'].map((file) => join(root, file));
  const newest = () => newestMade(join(root, 'cache'), () => files, make);
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

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { listen } from '#cdk-local/api/http-server.ts';
import { openDataFolder as open } from '#cdk-local/data-folder.ts';
import { openCheckpoints } from '#cdk-local/event-sources/checkpoints.ts';

const folder = mkdtempSync(join(tmpdir(), 'folder-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const openDataFolder = (path: string, fresh = false) =>
  open(path, { layout: 4, fresh, callersFiles: /^clients\.json$/u });

describe('the data folder', () => {
  test('refuses a second environment while it is in use, names the process, and admits one after release', () => {
    const path = join(folder, 'one');
    const first = openDataFolder(path);
    first.announce({ baseUrl: 'http://127.0.0.1:3000', dynamodb: '', sqs: '', region: '', tableName: '' });
    expect(() => openDataFolder(path)).toThrow(
      `${path} is in use by another local environment (process ${process.pid}).`,
    );
    first.release();
    expect(existsSync(join(path, 'endpoints.json'))).toBe(false);
    openDataFolder(path).release();
  });

  test.each([
    ['a folder without a layout number', undefined],
    ['a folder with another layout number', '0\n'],
  ])('refuses %s in one line with the remedy, and leaves its files unchanged', (_which, number) => {
    const path = mkdtempSync(join(folder, 'old-'));
    const table = join(path, 'dynamodb.db');
    writeFileSync(table, '');
    if (number !== undefined) writeFileSync(join(path, 'layout'), number);
    // Twice: the refusal locks nothing and writes no number.
    for (const _start of [1, 2])
      expect(() => openDataFolder(path)).toThrow(
        new RegExp(
          `^${path} holds data of another version .*Delete it with npm start -- --fresh, or choose another folder with LOCAL_DIR\\.$`,
          'u',
        ),
      );
    rmSync(table);
    openDataFolder(path).release();
  });

  test('loses its own files when it is opened with fresh, and keeps files that are not its own', () => {
    const path = mkdtempSync(join(folder, 'fresh-'));
    for (const name of ['layout', 'clients.json', 'dynamodb.db-wal', 'notes.json', 'build.txt'])
      writeFileSync(join(path, name), '0\n');
    for (const name of ['sqs', 'signing-keys', 'buckets']) mkdirSync(join(path, name));
    const running = openDataFolder(path, true);
    expect(() => openDataFolder(path, true)).toThrow('is in use by another local environment');
    running.release();
    const left = readdirSync(path).filter((name) => !name.startsWith('lock.db'));
    expect(left.toSorted()).toEqual(['build.txt', 'layout', 'notes.json']);
    openDataFolder(path).release();
  });

  test('accepts data that were written after its first start', () => {
    const path = join(folder, 'kept');
    openDataFolder(path).release();
    writeFileSync(join(path, 'dynamodb.db'), '');
    openDataFolder(path).release();
  });

  test('has the checkpoints that were set last, also when they were never closed', () => {
    const file = join(folder, 'checkpoints.db');
    const killed = openCheckpoints(file);
    killed.set('shard', '7');
    killed.set('shard', '8');
    const next = openCheckpoints(file);
    expect([next.get('shard'), next.get('other')]).toEqual(['8', undefined]);
    killed.close();
    next.close();
  });
});

describe('the port', () => {
  test('is refused in one line that names the remedy when it is in use', async () => {
    const first = await listen(0);
    await expect(listen(first.port)).rejects.toThrow(`Port ${first.port} is in use. Choose another port with PORT`);
    await first.stop();
  });
});

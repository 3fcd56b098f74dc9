import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { listen } from '#infra/local/api/http-server.ts';
import { openDataFolder } from '#infra/local/data-folder.ts';
import { openCheckpoints } from '#infra/local/event-sources/checkpoints.ts';
import { engineNames, readOptions } from '#infra/local/options.ts';
import { prepareSandbox } from '#infra/local/sandbox.ts';
import type { SandboxCompany } from '#infra/operator/local-environment.ts';

const folder = mkdtempSync(join(tmpdir(), 'folder-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('the data folder', () => {
  test('a second environment on the same folder is told so, with the process and what to do', () => {
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
    ['of the time before there was a number', undefined],
    ['of another layout', '0\n'],
  ])('data %s are refused in one line that says what to do, and stay as they are', (_which, number) => {
    const path = mkdtempSync(join(folder, 'old-'));
    const clients = join(path, 'clients.json');
    writeFileSync(clients, '{}');
    if (number !== undefined) writeFileSync(join(path, 'layout'), number);
    // Twice: the refusal locks nothing and writes no number.
    for (const _start of [1, 2])
      expect(() => openDataFolder(path)).toThrow(
        new RegExp(
          `^${path} holds data of another version .*Delete it by npm start -- --fresh, or choose another folder with LOCAL_DIR\\.$`,
          'u',
        ),
      );
    rmSync(clients);
    openDataFolder(path).release();
  });

  test('begun anew it has nothing of an earlier start, and still what is not ours', () => {
    const path = mkdtempSync(join(folder, 'fresh-'));
    for (const name of ['layout', 'clients.json', 'dynamodb.db-wal', 'notes.json', 'build.txt'])
      writeFileSync(join(path, name), '0\n');
    mkdirSync(join(path, 'sqs'));
    const running = openDataFolder(path, true);
    expect(() => openDataFolder(path, true)).toThrow('is in use by another local environment');
    running.release();
    const left = readdirSync(path).filter((name) => !name.startsWith('lock.db'));
    expect(left.toSorted()).toEqual(['build.txt', 'layout', 'notes.json']);
    openDataFolder(path).release();
  });

  test('data that were written since are taken', () => {
    const path = join(folder, 'kept');
    openDataFolder(path).release();
    writeFileSync(join(path, 'clients.json'), '{}');
    openDataFolder(path).release();
  });

  test('checkpoints are what was set last, also for who never closed them', () => {
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

// Each test finds the file as the one before left it.
describe('the sandbox file', { shuffle: false }, () => {
  const file = join(folder, 'sandbox.json');
  const company: SandboxCompany = {
    companyId: 'c',
    name: 'n',
    clientId: 'i',
    clientSecret: 's',
    webhookSecret: 'w',
    accounts: [],
  };
  const addresses = (port: number) => ({
    baseUrl: `http://127.0.0.1:${port}`,
    tokenUrl: `http://127.0.0.1:${port}/t`,
    scope: 'x',
  });
  const seed = () => Promise.resolve([company]);

  test('it is seeded once; later starts only bring their addresses', async () => {
    await prepareSandbox(file, addresses(1), seed);
    await prepareSandbox(file, addresses(2), () => Promise.reject(new Error('seeded twice')));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...addresses(2), companies: [company] });
  });

  test('it holds secrets, therefore only its owner may read it', () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('a file that is something else is not overwritten', async () => {
    writeFileSync(file, '[]');
    await expect(prepareSandbox(file, addresses(1), seed)).rejects.toThrow('is not the sandbox file');
  });
});

describe('options', () => {
  test('everything has a default', () => {
    expect(readOptions({})).toEqual({
      port: 3000,
      folder: '.local',
      retryDelaysSeconds: [1, 2, 4, 8],
      probeDelaysSeconds: [1, 2, 4, 8],
      engine: 'embedded',
    });
  });

  test('the engine is the embedded one, the one named, or one that runs already', () => {
    for (const name of engineNames) expect(readOptions({}, ['--engine', name]).engine).toBe(name);
    const endpoint = 'http://127.0.0.1:8000';
    const running = { AWS_ENDPOINT_URL_DYNAMODB: endpoint };
    expect(readOptions(running).engine).toEqual({ endpoint });
    expect(() => readOptions(running, ['--engine', 'dynamodb-local'])).toThrow('either --engine dynamodb-local or AWS');
  });

  test('begins anew where it is told to, beside an engine or not', () => {
    expect(readOptions({}, ['--fresh'])).toMatchObject({ fresh: true, engine: 'embedded' });
    expect(readOptions({}, ['--engine', 'dynamodb-local', '--fresh'])).toMatchObject({
      ...{ fresh: true, engine: 'dynamodb-local' },
    });
  });

  test.each([[['--engine']], [['--engine', 'sqlite']], [['--prot', '1']], [['--engine', 'embedded', 'more']]])(
    'the words %j are refused',
    (words) => {
      expect(() => readOptions({}, words)).toThrow(`not ${words.join(' ')}.`);
    },
  );

  test.each([
    ['PORT', 'http'],
    ['PORT', '70000'],
    ['RETRY_DELAYS_SECONDS', '1;2'],
    ['RETRY_DELAYS_SECONDS', '0.5'],
    ['RETRY_DELAYS_SECONDS', '1,2,3,4,5'],
    ['PROBE_DELAYS_SECONDS', '1m'],
    ['NAME_SERVERS', '127.0.0.1:53,ns.example'],
  ])('%s=%s is refused by name', (name, value) => {
    expect(() => readOptions({ [name]: value })).toThrow(name);
  });
});

describe('the port', () => {
  test('one that is taken is one line that says what to do', async () => {
    const first = await listen(0);
    await expect(listen(first.port)).rejects.toThrow(`Port ${first.port} is in use. Choose another with PORT`);
    await first.stop();
  });
});

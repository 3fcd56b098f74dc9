import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { engineNames } from '@banking-order/cdk-local';
import type { SandboxCompany } from '#infra/operator/local-environment.ts';
import { readOptions } from '#local-environment/options.ts';
import { prepareSandbox } from '#local-environment/sandbox.ts';

const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
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

  test('is seeded once, and later starts only change its addresses', async () => {
    await prepareSandbox(file, addresses(1), seed);
    await prepareSandbox(file, addresses(2), () => Promise.reject(new Error('seeded twice')));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...addresses(2), companies: [company] });
  });

  test('is readable by its owner alone, because it contains secrets', () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('is not overwritten when it is another kind of file', async () => {
    writeFileSync(file, '[]');
    await expect(prepareSandbox(file, addresses(1), seed)).rejects.toThrow('is not the sandbox file');
  });
});

describe('options', () => {
  test('have a default when none is given', () => {
    expect(readOptions({})).toEqual({
      port: 3000,
      folder: '.local',
      retryDelaysSeconds: [1, 2, 4, 8],
      probeDelaysSeconds: [1, 2, 4, 8],
      engine: 'embedded',
    });
  });

  test('choose the embedded engine, the named one, or one that runs already', () => {
    for (const name of engineNames) expect(readOptions({}, ['--engine', name]).engine).toBe(name);
    const endpoint = 'http://127.0.0.1:8000';
    const running = { AWS_ENDPOINT_URL_DYNAMODB: endpoint };
    expect(readOptions(running).engine).toEqual({ endpoint });
    expect(() => readOptions(running, ['--engine', 'dynamodb-local'])).toThrow('either --engine dynamodb-local or AWS');
  });

  test('accept --fresh with and without --engine', () => {
    expect(readOptions({}, ['--fresh'])).toMatchObject({ fresh: true, engine: 'embedded' });
    expect(readOptions({}, ['--engine', 'dynamodb-local', '--fresh'])).toMatchObject({
      ...{ fresh: true, engine: 'dynamodb-local' },
    });
  });

  test.each([[['--engine']], [['--engine', 'sqlite']], [['--prot', '1']], [['--engine', 'embedded', 'more']]])(
    'refuse the arguments %j',
    (args) => {
      expect(() => readOptions({}, args)).toThrow(`not ${args.join(' ')}.`);
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
  ])('%s=%s is refused with the name of the variable', (name, value) => {
    expect(() => readOptions({ [name]: value })).toThrow(name);
  });
});

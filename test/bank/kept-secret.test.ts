import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parseSecret } from '#shared/bank/dialects/efi/credentials.ts';
import { keptSecret } from '#shared/bank/secret.ts';
import { certificate, privateKey } from './bank-certificate.ts';

let lines: string[];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  lines = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const text = JSON.stringify({ clientId: 'id', clientSecret: 'hush', certificate, key: privateKey });
const named = (name: string) => Object.assign(new Error('of an account'), { name });
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

function store() {
  const state: { response: () => Promise<string | undefined>; reads: number } = {
    response: () => Promise.resolve(text),
    reads: 0,
  };
  const fetchSecret = () => {
    state.reads += 1;
    return state.response();
  };
  const read = keptSecret('bank/one', fetchSecret, parseSecret);
  return { state, read };
}

test('a secret that works stays in use when its store fails, and the store is asked again a minute later', async () => {
  const { state, read } = store();
  await read(false);
  state.response = () => Promise.reject(named('TimeoutError'));
  pass(601);
  for (let calls = 0; calls < 20; calls += 1) expect(await read(false)).toMatchObject({ clientSecret: 'hush' });
  expect(state.reads).toBe(2);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('TimeoutError');
  pass(59);
  await read(false);
  expect(state.reads).toBe(2);
  pass(2);
  await read(false);
  expect(state.reads).toBe(3);
  state.response = () => Promise.resolve(text.replace('hush', 'new'));
  pass(61);
  expect(await read(false)).toMatchObject({ clientSecret: 'new' });
});

test('a read of the secret fails, then and later, when its store fails after the bank refused the known secret', async () => {
  const { state, read } = store();
  await read(false);
  state.response = () => Promise.reject(named('TimeoutError'));
  pass(11);
  await expect(read(true)).rejects.toThrow('Cannot read the secret of the bank: TimeoutError.');
  await expect(read(false)).rejects.toThrow('TimeoutError');
});

test.each<[string, () => Promise<string | undefined>, string]>([
  ['does not exist', () => Promise.resolve(undefined), 'The secret bank/one does not exist.'],
  [
    'does not exist at AWS',
    () => Promise.reject(named('ResourceNotFoundException')),
    'The secret bank/one does not exist.',
  ],
  ['is malformed', () => Promise.resolve('{}'), 'The secret of the bank is malformed'],
])('a secret that %s is not replaced by the cached one', async (_what, response, message) => {
  const { state, read } = store();
  await read(false);
  state.response = response;
  pass(601);
  await expect(read(false)).rejects.toThrow(message);
});

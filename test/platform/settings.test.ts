import { afterEach, describe, expect, test, vi } from 'vitest';
import { environments } from '#infra/environments.ts';
import { settings, settingsVariable } from '#shared/platform/settings.ts';
import { each } from '#test/support/each.ts';

const { tokens, deliveries, bankCallbacks, orders, statements, keys } = environments.local;
const known = { tokens, deliveries, bankCallbacks, orders, statements, keys };
const { ispb: _left, ...incomplete } = orders;

afterEach(() => {
  vi.unstubAllEnvs();
});

const ofDeliveries = (changes: object) => ({ ...environments.local, deliveries: { ...deliveries, ...changes } });
const ofCallbacks = (changes: object) => ({ ...environments.local, bankCallbacks: { ...bankCallbacks, ...changes } });
const ofThrottling = (changes: object) => ofCallbacks({ throttling: { ...bankCallbacks.throttling, ...changes } });
const ofStatements = (changes: object) => ({ ...environments.local, statements: { ...statements, ...changes } });
const ofCircuit = (changes: object) => ofDeliveries({ circuit: { ...deliveries.circuit, ...changes } });

describe('a setting with a range', () => {
  test.each([
    [
      'deliveries.maxConcurrency',
      (value: number) => ofDeliveries({ companyShare: 5, maxConcurrency: value }),
      [6, 1000],
      [1001],
    ],
    ['deliveries.companyShare', (value: number) => ofDeliveries({ companyShare: value }), [5, 49], [4, 50]],
    ['deliveries.maxDrains', (value: number) => ofDeliveries({ maxDrains: value }), [2, 1000], [1, 1001]],
    ['bankCallbacks.throttling.rate', (value: number) => ofThrottling({ rate: value }), [1, 10_000], [0, 10_001]],
    ['bankCallbacks.throttling.burst', (value: number) => ofThrottling({ burst: value }), [1, 5_000], [0, 5_001]],
    ['bankCallbacks.readers', (value: number) => ofCallbacks({ readers: value }), [2, 1000], [1, 1001]],
    ['bankCallbacks.idsAMinute', (value: number) => ofCallbacks({ idsAMinute: value }), [1, 600_000], [0, 600_001]],
    ['statements.collectSeconds', (value: number) => ofStatements({ collectSeconds: value }), [0, 300], [-1, 301]],
    [
      'deliveries.retryDelaysSeconds.0',
      (value: number) => ofDeliveries({ retryDelaysSeconds: [value] }),
      [0, 36_000],
      [-1, 36_001],
    ],
    [
      'deliveries.circuit.probeDelaysSeconds.0',
      (value: number) => ofCircuit({ probeDelaysSeconds: [value] }),
      [0, 900],
      [-1, 901],
    ],
  ])('%s is taken at both borders, and refused beyond by its name', (name, having, taken, refused) => {
    for (const value of each(taken)) expect(settingsVariable(having(value))).toContain(String(value));
    for (const value of each(refused))
      expect(() => settingsVariable(having(value)), String(value)).toThrow(
        new Error(`Settings are missing or malformed: SETTINGS.${name}.`),
      );
  });
});

// What was read once stays read: the last test is the last.
describe('settings', { shuffle: false }, () => {
  test.each([
    ['orders.ispb', { ...known, orders: incomplete }],
    ['orders.pixCity', { ...known, orders: { ...orders, pixCity: '北京' } }],
    ['orders.pixTransactionLimitCentavos', { ...known, orders: { ...orders, pixTransactionLimitCentavos: 31.5 } }],
    ['deliveries.retryDelaysSeconds.1', { ...known, deliveries: { ...deliveries, retryDelaysSeconds: [1, -31.5] } }],
    ['deliveries.retryDelaysSeconds', { ...known, deliveries: { ...deliveries, retryDelaysSeconds: [1, 2, 3, 4, 5] } }],
    ['deliveries.retryDelaysSeconds', { ...known, deliveries: { ...deliveries, retryDelaysSeconds: [] } }],
    ['keys.rules.phonesAbroad', { ...known, keys: { rules: { ...keys.rules, phonesAbroad: '31.5' } } }],
    ['tokens', { ...known, tokens: '31.5' }],
    ['', '31.5'],
  ])('stop a function with their name, but not their value, when they are missing or malformed: %s', (name, values) => {
    vi.stubEnv('SETTINGS', typeof values === 'string' ? values : JSON.stringify(values));
    const message = `Settings are missing or malformed: ${name === '' ? 'SETTINGS' : `SETTINGS.${name}`}.`;
    expect(settings).toThrow(new Error(message));
  });

  test('a variable that is not set stops a function by its name', () => {
    vi.stubEnv('SETTINGS', '');
    expect(settings).toThrow('The environment variable SETTINGS is not set.');
  });

  test('are read as they were set, once, without what the stacks alone know', () => {
    const text = settingsVariable(environments.local);
    expect(JSON.parse(text)).toEqual(known);
    vi.stubEnv('SETTINGS', text);
    expect(settings()).toEqual(known);
    vi.stubEnv('SETTINGS', 'not read again');
    expect(settings()).toBe(settings());
  });
});

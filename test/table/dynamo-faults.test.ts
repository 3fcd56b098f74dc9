import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import type { Write } from '#shared/platform/table/store.ts';
import { ItemContended, StoreUnavailable } from '#shared/platform/table/store.ts';
import type { TestEngine } from '../support/engine.ts';
import { startEngine } from '../support/engine.ts';
import type { Fate } from '../support/faulty-client.ts';
import { cancelled, faultyStore, sdkError } from '../support/faulty-client.ts';
import { attributesOf, freshKey, given } from '../support/stores.ts';

const conflict: Fate = { refuse: cancelled('TransactionConflict') };
const write = (): Write => ({ put: freshKey(), when: { is: 'absent' } });

describe('a transaction', () => {
  test.each([
    ['conflicts with another one', cancelled('TransactionConflict', 'None')],
    [
      'conflicts with another one and has a failed condition',
      cancelled('TransactionConflict', 'ConditionalCheckFailed'),
    ],
    ['was throttled', cancelled('ThrottlingError', 'None')],
    ['exceeded the capacity of its partition', cancelled('None', 'ProvisionedThroughputExceeded')],
    ['is still in progress', sdkError('TransactionInProgressException')],
    ['was throttled as a whole', sdkError('ThrottlingException')],
    ['got an internal error', sdkError('InternalServerError', { $metadata: { httpStatusCode: 500 } })],
    ['got another status of 5xx', sdkError('Unheard', { $metadata: { httpStatusCode: 503 } })],
    ['lost its connection', sdkError('Error', { code: 'ECONNRESET' })],
    ['timed out', sdkError('TimeoutError')],
  ])('is tried again with the same token when it %s', async (_why, error) => {
    const { store, calls } = faultyStore([{ refuse: error }, 'pass']);
    expect(await store.write([write(), write()], 'token-1')).toEqual({ ok: true });
    expect(calls.map(({ ClientRequestToken }) => ClientRequestToken)).toEqual(['token-1', 'token-1']);
    expect(calls[1]).toEqual(calls[0]);
  });

  test('is made anew with a token of its own after a conflict, but not once a try may have been carried out', async () => {
    const lost: Fate = { refuse: sdkError('Error', { code: 'ECONNRESET' }) };
    const { store, calls } = faultyStore([conflict, conflict, lost, conflict, 'pass']);
    const anew: Write[][] = [];
    const renewed = (): readonly Write[] => {
      anew.push([write()]);
      return anew.at(-1)!;
    };
    expect(await store.write([write()], 'token-1', { renewed })).toEqual({ ok: true });
    const tokens = calls.map(({ ClientRequestToken }) => ClientRequestToken);
    expect(tokens[0]).toBe('token-1');
    expect(new Set(tokens.slice(0, 3)).size).toBe(3);
    expect(anew).toHaveLength(2);
    expect([calls[3], calls[4]]).toEqual([calls[2], calls[2]]);
    expect(calls[2]).toMatchObject({ TransactItems: [{ Put: { Item: (anew[1]![0] as { put: object }).put } }] });
  });

  test('is unavailable after five seconds of conflicts, with no wait above 640 ms', async () => {
    const { store, waits } = faultyStore([conflict]);
    await expect(store.write([write()], randomUUID())).rejects.toThrow(StoreUnavailable);
    const total = waits.reduce((sum, wait) => sum + wait, 0);
    expect(total).toBeGreaterThanOrEqual(5000);
    expect(total).toBeLessThan(5640);
    expect(waits.every((wait, index) => wait >= 0 && wait <= Math.min(640, 40 * 2 ** index))).toBe(true);
  });

  test('a transaction is unavailable within six seconds when each conflict takes 300 ms to be reported', async () => {
    const { store, calls, waits } = faultyStore([{ ...conflict, afterMs: 300 }]);
    await expect(store.write([write()], randomUUID())).rejects.toThrow(StoreUnavailable);
    const total = waits.reduce((sum, wait) => sum + wait, 0) + 300 * calls.length;
    expect(total).toBeGreaterThanOrEqual(5000);
    expect(total).toBeLessThan(5940);
  });

  describe('on an item that many change', () => {
    const [own, balance] = [write(), write()];
    const onBalance: Fate = { refuse: cancelled('None', 'TransactionConflict') };
    const onBoth: Fate = { refuse: cancelled('TransactionConflict', 'TransactionConflict') };
    const lost: Fate = { refuse: sdkError('Error', { code: 'ECONNRESET' }) };
    const contended = [1];
    const sumOf = (waits: readonly number[]): number => waits.reduce((sum, wait) => sum + wait, 0);

    test('is given up after five seconds, and after one second while that is remembered', async () => {
      const { store, waits } = faultyStore([onBalance]);
      await expect(store.write([own, balance], 't-1', { contended })).rejects.toThrow(ItemContended);
      const first = sumOf(waits);
      expect(first).toBeGreaterThan(4360);
      expect(first).toBeLessThanOrEqual(5000);
      await expect(store.write([own, balance], 't-2', { contended })).rejects.toThrow(ItemContended);
      const second = sumOf(waits) - first;
      expect(second).toBeGreaterThan(360);
      expect(second).toBeLessThanOrEqual(1000);
    });

    test('a transaction is given up, and not unavailable, when the last conflict was reported after the five seconds', async () => {
      const { store } = faultyStore([{ ...onBalance, afterMs: 1500 }]);
      await expect(store.write([own, balance], 't-1', { contended })).rejects.toThrow(ItemContended);
    });

    test('waits five seconds for another item, and where its caller does not ask to give up', async () => {
      const { store, waits } = faultyStore([onBalance]);
      await store.write([own, balance], 't-1', { contended }).catch(() => undefined);
      for (const [item, options] of [
        [write(), { contended }],
        [balance, {}],
      ] as const) {
        const before = sumOf(waits);
        await store.write([own, item], 't-2', options).catch(() => undefined);
        expect(sumOf(waits) - before).toBeGreaterThan(4360);
      }
    });

    test('does not remember conflicts on a key of its own: equal requests meet there', async () => {
      const { store, waits } = faultyStore([onBoth]);
      for (let times = 1; times <= 2; times += 1)
        await expect(store.write([own, balance], `t-${times}`, { contended })).rejects.toThrow(StoreUnavailable);
      expect(sumOf(waits)).toBeGreaterThanOrEqual(10_000);
    });

    test('is not called given up once a try may have been carried out', async () => {
      const { store } = faultyStore([lost, onBalance]);
      await expect(store.write([own, balance], 't-1', { contended })).rejects.toThrow(StoreUnavailable);
    });
  });

  test.each([
    ['as a whole', sdkError('ThrottlingException')],
    ['by its rate', cancelled('None', 'ThrottlingError')],
    ['by the units of a partition', cancelled('ProvisionedThroughputExceeded', 'None')],
  ])(
    'is unavailable when the table throttles it %s five times, after waits of at most 40, 80, … 320 ms',
    async (_what, error) => {
      const { store, calls, waits } = faultyStore([{ refuse: error }]);
      await expect(store.write([write()], randomUUID())).rejects.toThrow(StoreUnavailable);
      expect(calls).toHaveLength(5);
      expect(waits.every((wait, index) => wait >= 0 && wait <= 40 * 2 ** index)).toBe(true);
    },
  );

  test('is unavailable when it times out twice, since its caller has waited for seconds', async () => {
    const { store, calls } = faultyStore([{ refuse: sdkError('TimeoutError') }]);
    await expect(store.write([write()], randomUUID())).rejects.toThrow(StoreUnavailable);
    expect(calls).toHaveLength(2);
  });

  test.each([
    ['is malformed', sdkError('ValidationException', { $metadata: { httpStatusCode: 400 } })],
    ['has a malformed part', cancelled('None', 'ValidationError')],
    ['has the token of another transaction', sdkError('IdempotentParameterMismatchException')],
    ['is not allowed', sdkError('AccessDeniedException', { $metadata: { httpStatusCode: 400 } })],
  ])('is not tried again when it %s', async (_why, error) => {
    const { store, calls } = faultyStore([{ refuse: error }]);
    await expect(store.write([write(), write()], randomUUID())).rejects.toBe(error);
    expect(calls).toHaveLength(1);
  });

  test('has an outcome, with the items as plain values, when conditions fail', async () => {
    const Item = { PK: { S: 'p' }, SK: { S: 's' }, n: { N: '7' } };
    const error = sdkError('TransactionCanceledException', {
      CancellationReasons: [
        { Code: 'None' },
        { Code: 'ConditionalCheckFailed', Item },
        { Code: 'ConditionalCheckFailed' },
      ],
    });
    const { store, calls } = faultyStore([{ refuse: error }]);
    expect(await store.write([write(), write(), write()], randomUUID())).toEqual({
      ok: false,
      failed: [{ index: 1, item: { PK: 'p', SK: 's', n: 7 } }, { index: 2 }],
    });
    expect(calls).toHaveLength(1);
  });
});

describe('a call that keeps failing', () => {
  test.each(['read', 'readMany', 'query', 'writeOne'] as const)('%s fails as StoreUnavailable', async (kind) => {
    const { store, calls } = faultyStore([{ refuse: sdkError('ProvisionedThroughputExceededException') }]);
    const call = {
      read: () => store.read([freshKey()]),
      readMany: () => store.read([freshKey(), freshKey()]),
      query: () => store.query({ partition: 'p' }),
      writeOne: () => store.writeOne({ put: freshKey() }),
    }[kind];
    await expect(call()).rejects.toThrow(StoreUnavailable);
    expect(calls).toHaveLength(5);
  });

  test('keys that a batch leaves unread are asked for again, and after five rounds it is unavailable', async () => {
    const key = freshKey();
    const rounds: unknown[] = [];
    const send = (command: { input: unknown }): Promise<unknown> => {
      rounds.push(command.input);
      return Promise.resolve({ Responses: {}, UnprocessedKeys: { table: { Keys: [key] } } });
    };
    const store = dynamoStore({ client: { send } as never, tableName: 'table' });
    await expect(store.read([freshKey(), key])).rejects.toThrow(StoreUnavailable);
    expect(rounds).toHaveLength(5);
    expect(rounds[1]).toMatchObject({ RequestItems: { table: { Keys: [key], ConsistentRead: true } } });
  });
});

describe('a response that is lost after the write was committed', () => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await startEngine('faults');
  });
  afterAll(async () => {
    await engine.stop();
  });
  const lost: Fate = { loseResponse: sdkError('Error', { code: 'ECONNRESET' }) };

  test('lets the retry of a transaction succeed without a second change', async () => {
    const { store, calls } = faultyStore(['pass', lost, lost, 'pass'], engine);
    const key = await given(store, { n: 1 });
    const outcome = await store.write(
      [
        { update: key, add: { n: 1 }, when: { equals: { n: 1 } } },
        { put: freshKey(), when: { is: 'absent' } },
      ],
      randomUUID(),
    );
    expect(outcome).toEqual({ ok: true });
    expect(await attributesOf(store, key)).toEqual({ n: 2 });
    expect(calls.length).toBeGreaterThanOrEqual(4);
  });

  test('lets the retry of a single write fail its condition, with the item that it wrote itself', async () => {
    const { store } = faultyStore([lost, 'pass'], engine);
    const key = freshKey();
    const outcome = await store.writeOne({ put: { ...key, claim: 'mine' }, when: { is: 'absent' } });
    expect(outcome).toEqual({ ok: false, failed: [{ index: 0, item: { ...key, claim: 'mine' } }] });
  });
});

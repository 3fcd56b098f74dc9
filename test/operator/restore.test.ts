import { beforeEach, describe, expect, test } from 'vitest';
import type { RestoreDependencies } from '#infra/operator/target.ts';
import { bringRestored, compareRestored, freezeCurrent, switchToRestored } from '#infra/operator/restore/restore.ts';
import { deliveryItem } from '#shared/platform/outbox/delivery-items.ts';
import { companyOf } from '#shared/platform/company.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Item, Key } from '#shared/platform/table/store.ts';
import { sweep } from '#test/support/sweep.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { sources } from '../architecture/sources.ts';
import { memoryStore } from '../support/memory-store.ts';
import { base, grace, sweepWorld, t0 } from '../webhooks/sweep-world.ts';
import type { FakeTable } from './fake-tables.ts';
import { fakeTables } from './fake-tables.ts';
import { at, testOperator } from './terminal.ts';

const arn = (name: string): string => `arn:aws:dynamodb:sa-east-1:111122223333:table/${name}`;
const index = { IndexName: 'GSI1', KeySchema: [], Projection: {}, IndexStatus: 'ACTIVE' };
const bound = { MaxReadRequestUnits: 10, MaxWriteRequestUnits: 20 };
const statement = {
  Sid: 'Other',
  Effect: 'Allow',
  Principal: '*',
  Action: 'dynamodb:GetItem',
  Resource: arn('current'),
};

/** As the stack makes it. */
const currentSettings = (): FakeTable => ({
  ...{ TableArn: arn('current'), TableStatus: 'ACTIVE', KeySchema: [], SSEDescription: { KMSMasterKeyArn: 'key' } },
  GlobalSecondaryIndexes: [{ ...index, OnDemandThroughput: bound }],
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
  ...{ DeletionProtectionEnabled: true, OnDemandThroughput: bound, expiry: 'expiresAt', recoveryDays: 35 },
  ...{
    insights: 'THROTTLED_KEYS',
    tags: [
      { Key: 'service', Value: 'banking-order' },
      { Key: 'aws:x', Value: 'y' },
    ],
  },
  policy: JSON.stringify({ Version: '2012-10-17', Statement: [statement] }),
});
/** As a restore makes it. */
const restoredSettings = (): FakeTable => ({
  ...{ TableArn: arn('restored'), TableStatus: 'ACTIVE', KeySchema: [], SSEDescription: { KMSMasterKeyArn: 'key' } },
  ...{ GlobalSecondaryIndexes: [index], tags: [] },
});

const other: Item = { PK: 'REGISTRY', SK: 'c-1', entity: 'REGISTRY', companyId: 'c-1' };
const account: Item = { ...keys.account('c-1', 'a-1'), entity: 'ACCOUNT', fullName: 'Maria' };
const leave: Item = { ...keys.repetition('c-1', 'reference'), entity: 'REPETITION' };
const balance: Item = {
  ...{ ...keys.balance('c-1', 'a-1'), entity: 'BALANCE', version: 1, companyId: 'c-1', accountId: 'a-1' },
  ...{ accountStatus: 'ACTIVE', available: 100, reserved: 0, updatedAt: at },
};

type World = {
  readonly given: RestoreDependencies;
  readonly tables: { readonly current: FakeTable; readonly restored: FakeTable };
  readonly all: (tableName: 'current' | 'restored') => readonly Item[];
};
let world: World;
let printed: string[];
const print = (text: string): unknown => printed.push(text);

async function worldOf(currentItems: readonly Item[], restoredItems: readonly Item[]): Promise<World> {
  const tables = { current: currentSettings(), restored: restoredSettings() };
  const stores = { current: memoryStore(), restored: memoryStore() };
  for (const put of currentItems) await stores.current.writeOne({ put });
  for (const put of restoredItems) await stores.restored.writeOne({ put });
  const open = (name: 'current' | 'restored') => ({
    name,
    store: stores[name],
    itemsOf: async function* ({ companyId }: { readonly companyId?: string | undefined }) {
      const fits = (item: Item): boolean => companyId === undefined || companyOf(item) === companyId;
      yield* await Promise.resolve(stores[name].all().filter(fits));
    },
  });
  const given = { current: open('current'), restored: open('restored'), admin: fakeTables(tables), now: () => at };
  return { given, tables, all: (tableName) => stores[tableName].all() };
}

beforeEach(async () => {
  printed = [];
  // Since the restored moment the balance changed and an account was opened; another was lost; a leave was used.
  const lost = { ...account, ...keys.account('c-1', 'a-2') };
  const current = [other, account, { ...balance, version: 2, available: 70 }];
  world = await worldOf(current, [other, lost, balance, leave]);
});

const itemAt = (tableName: 'current' | 'restored', { PK, SK }: Key): Item | undefined =>
  world.all(tableName).find((item) => item.PK === PK && item.SK === SK);

describe('restore:compare', () => {
  test('counts by company and entity the items that only one table has, or that differ', async () => {
    expect(await compareRestored(world.given, {}, print)).toEqual([
      {
        company: 'c-1',
        entity: 'ACCOUNT',
        onlyCurrent: 1,
        onlyRestored: 1,
        different: 0,
        example: expect.any(String) as string,
      },
      {
        company: 'c-1',
        entity: 'BALANCE',
        onlyCurrent: 0,
        onlyRestored: 0,
        different: 1,
        example: `${balance.PK} BALANCE`,
      },
      {
        company: 'c-1',
        entity: 'REPETITION',
        onlyCurrent: 0,
        onlyRestored: 1,
        different: 0,
        example: `${leave.PK} REPEAT`,
      },
    ]);
    expect(await compareRestored(world.given, { companyId: 'c-2' }, print)).toEqual([]);
  });

  test('reports no difference in the order of attributes, or in expired items', async () => {
    const turned = Object.fromEntries(Object.entries(balance).toReversed()) as Item;
    const expired = { ...account, expiresAt: 1 };
    // Each table deletes what has expired when it likes.
    const expiredLeave = { ...leave, expiresAt: 1 };
    const { given } = await worldOf([turned, expired], [balance, expiredLeave]);
    expect(await compareRestored(given, {}, print)).toEqual([]);
  });
});

describe('restore:bring', () => {
  test('refuses to run when the current table still accepts writes', async () => {
    await expect(bringRestored(world.given, {}, print)).rejects.toThrow('current still accepts writes');
    expect(itemAt('restored', account)).toBeUndefined();
  });

  test('copies new and changed items, deletes those that the service deleted, and keeps those that were lost', async () => {
    await freezeCurrent(world.given, false);
    const counts = { copied: 2, deleted: 1, kept: 1, unreadable: 0 };
    expect(await bringRestored(world.given, {}, print)).toEqual(counts);
    expect(itemAt('restored', balance)).toMatchObject({ available: 70 });
    expect(itemAt('restored', account)).toEqual(account);
    expect(itemAt('restored', leave)).toBeUndefined();
    expect(itemAt('restored', keys.account('c-1', 'a-2'))).toBeDefined();
    expect(await bringRestored(world.given, {}, print)).toEqual({ ...counts, copied: 0, deleted: 0 });
  });

  test('keeps the restored item when the current one is malformed, or --keep names its entity', async () => {
    const broken = { ...balance, available: 'much' };
    world = await worldOf([broken], [balance]);
    await freezeCurrent(world.given, false);
    expect(await bringRestored(world.given, {}, print)).toMatchObject({ copied: 0, unreadable: 1 });
    expect(itemAt('restored', balance)).toEqual(balance);
    world = await worldOf([{ ...balance, available: 1 }], [balance]);
    await freezeCurrent(world.given, false);
    expect(await bringRestored(world.given, { keep: 'ORDER,BALANCE' }, print)).toMatchObject({ copied: 0, kept: 1 });
    expect(itemAt('restored', balance)).toEqual(balance);
  });

  test('refuses a table that the service may work on already', async () => {
    await freezeCurrent(world.given, false);
    world.tables.restored.StreamSpecification = { StreamEnabled: true };
    await expect(bringRestored(world.given, {}, print)).rejects.toThrow('it has a stream');
  });

  test('covers every place in the code where the service deletes an item', () => {
    // One site deletes both items of a key.
    const sites = sources
      .filter(({ path }) => path.startsWith('shared/') && path !== 'shared/platform/table/store.ts')
      .flatMap(({ path, lines }) => lines.filter((line) => /\bdelete: /u.test(line)).map(() => path));
    expect(sites.toSorted()).toEqual([
      'shared/bank-events/disputes.ts',
      'shared/bank-events/list-readings.ts',
      'shared/bank-events/received-poll.ts',
      'shared/bank/claims.ts',
      'shared/bank/connection.ts',
      'shared/bank/recurrence-locations.ts',
      'shared/bank/recurrence-locations.ts',
      'shared/bank/repeat.ts',
      'shared/disputes/store.ts',
      'shared/disputes/store.ts',
      'shared/disputes/store.ts',
      'shared/disputes/store.ts',
      'shared/disputes/store.ts',
      'shared/pix-keys/store.ts',
      'shared/pix-keys/store.ts',
      'shared/sandbox/clock-store.ts',
      'shared/scheduled-payments/store.ts',
      'shared/subscriptions/store.ts',
      'shared/subscriptions/store.ts',
      'shared/subscriptions/store.ts',
    ]);
  });
});

describe('the switch', () => {
  test('refuses to lose newer items unless --accept gives their number', async () => {
    await freezeCurrent(world.given, false);
    await expect(switchToRestored(world.given, {}, print)).rejects.toThrow(
      '2 items of current are missing or different',
    );
    await expect(switchToRestored(world.given, { accept: 1 }, print)).rejects.toThrow('--accept 2');
    expect(world.tables.restored).toEqual(restoredSettings());
    expect(await switchToRestored(world.given, { accept: 2 }, print)).toMatchObject({
      restored: "{ tableName: 'restored', streamLabel: '2026-01-15T12:00:00.000' }",
    });
  });

  test('copies every setting that a restore leaves out but not the freeze, and may run twice', async () => {
    await freezeCurrent(world.given, false);
    await bringRestored(world.given, {}, print);
    const { restored } = await switchToRestored(world.given, {}, print);
    expect((await switchToRestored(world.given, {}, print))['restored']).toBe(restored);
    const policy = { Version: '2012-10-17', Statement: [{ ...statement, Resource: arn('restored') }] };
    expect(world.tables.restored).toEqual({
      ...currentSettings(),
      ...{ TableArn: arn('restored'), LatestStreamLabel: '2026-01-15T12:00:00.000' },
      ...{ tags: [{ Key: 'service', Value: 'banking-order' }], policy: JSON.stringify(policy) },
    });
  });

  test('refuses a table with another encryption key or without an index', async () => {
    await freezeCurrent(world.given, false);
    await bringRestored(world.given, {}, print);
    world.tables.restored.SSEDescription = { KMSMasterKeyArn: 'another' };
    await expect(switchToRestored(world.given, {}, print)).rejects.toThrow('another encryption key');
    delete world.tables.restored.StreamSpecification;
    Object.assign(world.tables.restored, { ...restoredSettings(), GlobalSecondaryIndexes: [] });
    await expect(switchToRestored(world.given, {}, print)).rejects.toThrow('indexes');
  });

  test('restore:freeze denies every write, and leaves the old policy when it is undone', async () => {
    const before = currentSettings();
    await freezeCurrent(world.given, false);
    const policy = JSON.parse(world.tables.current.policy ?? '') as { Statement: readonly object[] };
    expect(policy.Statement).toEqual([
      statement,
      {
        ...{ Sid: 'FrozenForRestore', Effect: 'Deny', Principal: '*', Resource: arn('current') },
        Action: ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:BatchWriteItem'],
      },
    ]);
    await freezeCurrent(world.given, true);
    expect(world.tables.current).toEqual(before);
  });
});

test('restore:switch refuses --company, because newer items of other companies would be lost', async () => {
  const { run } = testOperator('aws');
  const company = ['--company', '00000000-0000-4000-8000-000000000001'];
  expect(await run('restore:switch', '--restored', 'restored', ...company)).toMatchObject({ code: 2 });
});

test('the sweep sends a copied and a restored delivery when the stream has no event for them', async () => {
  const now = () => plusSeconds(t0, grace);
  const none = { receive: () => Promise.resolve([]), remove: () => Promise.resolve() };
  const restored = await sweepWorld({ now, deadLetters: none, failed: () => undefined });
  await restored.given(base('d-1'));
  const since = deliveryItem(base('d-2'));
  world = await worldOf([deliveryItem(base('d-1')), since], []);
  await freezeCurrent(world.given, false);
  const itemsOf = async function* () {
    yield* await Promise.resolve(restored.table.all().filter(({ entity }) => entity === 'DELIVERY'));
  };
  const given = { ...world.given, restored: { name: 'restored', store: restored.table, itemsOf } };
  expect(await bringRestored(given, {}, print)).toMatchObject({ copied: 1 });
  expect(await sweep(restored.deps, { redriving: false })).toMatchObject({ sentAgain: 2, failed: 0 });
  expect(restored.dispatches()).toMatchObject([{ deliveryId: 'd-1' }, { deliveryId: 'd-2' }]);
});

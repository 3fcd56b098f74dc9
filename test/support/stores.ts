import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe } from 'vitest';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import { memoryStore } from './memory-store.ts';
import type { Item, Key, Store, Value } from '#shared/platform/table/store.ts';
import type { TestEngine } from './engine.ts';
import { startEngine } from './engine.ts';

/** Runs one suite on the store in memory and on a real engine: they must mean the same. */
export function onEveryStore(suite: (store: () => Store) => void): void {
  describe('in memory', () => {
    const store = memoryStore();
    suite(() => store);
  });
  describe('on the engine', () => {
    let engine: TestEngine;
    let store: Store;
    beforeAll(async () => {
      engine = await startEngine('store');
      store = dynamoStore({ client: engine.client, tableName: engine.tableName });
    });
    afterAll(async () => {
      await engine.stop();
    });
    suite(() => store);
  });
}

/** A key that no other test uses. */
export function freshKey(SK = 'IT'): Key {
  return { PK: `T-${randomUUID()}`, SK };
}

/** Puts an item without asking and gives its key back. */
export async function given(store: Store, attributes: Readonly<Record<string, Value>>, key = freshKey()): Promise<Key> {
  await store.write([{ put: { ...attributes, ...key } }], randomUUID());
  return key;
}

/** The item as it is now, without its key. */
export async function attributesOf(store: Store, key: Key): Promise<Readonly<Record<string, Value>> | undefined> {
  const [item] = await store.read([key]);
  if (item === undefined) return undefined;
  const { PK: _pk, SK: _sk, ...rest }: Item = item;
  return rest;
}

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { issuerKeys } from '#shared/access/issuer-keys.ts';
import { readIssuerKeys } from '#shared/access/issuer-key-store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { memoryStore } from '../support/memory-store.ts';
import type { TestIssuer } from './authorizer-issuer.ts';
import { startTestIssuer } from './authorizer-issuer.ts';

let issuer: TestIssuer;
beforeEach(async () => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  issuer = await startTestIssuer('ES256');
});
afterEach(async () => {
  await issuer.stop();
});

test('fetched keys are in the table before their finder answers: a function is frozen after its answer', async () => {
  const table = memoryStore();
  const order: string[] = [];
  // A write takes a turn of the event loop: a function that does not wait for it responds before.
  const store: Store = {
    ...table,
    writeOne: async (write) => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push('kept');
      return table.writeOne(write);
    },
  };
  const { jwksUri } = issuer;
  const find = issuerKeys({ jwksUri, store, nowMs: Date.now });
  await find({ alg: 'ES256', kid: 'key-1' }, { payload: '', signature: '' });
  order.push('answered');
  expect(order).toEqual(['kept', 'answered']);
  expect((await readIssuerKeys(table, jwksUri))?.keys).toMatchObject([{ kid: 'key-1' }]);
});

import { beforeEach, describe, expect, it } from 'vitest';
import { setAccountStatus } from '#infra/operator/accounts/accounts.ts';
import { findAccountByKey } from '#shared/accounts/store.ts';
import type { KeyValidation } from '#shared/pix-keys/model.ts';
import { keyValidationInserts } from '#shared/pix-keys/store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { account, companyOne } from '#test/support/bank-world.ts';
import { email, keyWorld } from '#test/support/key-world.ts';
import { refused } from '#test/support/refusals.ts';

const sibling = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const maria = email('maria@example.com');
let world: ReturnType<typeof keyWorld>;
beforeEach(async () => {
  world = keyWorld();
  await world.openCompany(companyOne);
  await world.openAccount(0);
  await world.openAccount(0, { id: sibling });
});
const close = (store: Store = world.store) =>
  setAccountStatus(
    { store, ids: world.ids, now: () => world.clock.now },
    { companyId: companyOne, accountId: account, status: 'CLOSED' },
  );

describe('closing an account', () => {
  it('gives its keys back: another account can have them', async () => {
    const before = await world.begun(maria);
    await world.confirm(before.validationId, before.code);
    await close();
    expect(await findAccountByKey(world.store, companyOne, maria)).toBeUndefined();
    expect(world.items('PIX_KEY')).toEqual([]);
    const { validationId, code } = await world.begun(maria, { accountId: sibling });
    expect((await world.confirm(validationId, code, { accountId: sibling })).status).toBe(200);
    expect((await findAccountByKey(world.store, companyOne, maria))?.id).toBe(sibling);
  });

  it('gives back a key that was confirmed after hundreds of validations that were not', async () => {
    for (let place = 0; place < 250; place += 1) {
      const validation: KeyValidation = {
        ...{ id: world.ids.uuid(), companyId: companyOne, accountId: account, ...email(`k${place}@example.com`) },
        ...{ status: 'PENDING', codeNumber: 1, wrongTries: 0, version: 1 },
        ...{ createdAt: '2026-01-01T00:00:00.000Z', validUntil: '2026-01-01T00:10:00.000Z' },
      };
      await world.store.write(keyValidationInserts(validation), validation.id);
    }
    const { validationId, code } = await world.begun(maria);
    expect((await world.confirm(validationId, code)).status).toBe(200);
    await close();
    expect(world.items('PIX_KEY')).toEqual([]);
    expect(await findAccountByKey(world.store, companyOne, maria)).toBeUndefined();
  });

  it('fails when a key is confirmed meanwhile, and a key is not confirmed for a closed account', async () => {
    const { validationId, code } = await world.begun(maria);
    let first = true;
    const interrupted: Store = {
      ...world.store,
      write: async (writes, token) => {
        if (first) await world.confirm(validationId, code);
        first = false;
        return world.store.write(writes, token);
      },
    };
    await expect(close(interrupted)).rejects.toThrow('changed meanwhile');
    await close();
    expect(world.items('PIX_KEY')).toEqual([]);
  });

  it('ends its open validations: the right code comes too late', async () => {
    const { validationId, code } = await world.begun(maria);
    await close();
    refused(await world.confirm(validationId, code), 409);
    expect(world.items('PIX_KEY')).toEqual([]);
  });
});

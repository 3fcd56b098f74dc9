import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { findAccountByKey } from '#shared/accounts/store.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Answer } from '../support/api.ts';
import { companyOne, otherCompany } from '../support/bank-world.ts';
import { email, keyWorld, otherThan } from '../support/key-world.ts';
import { repeated } from '../support/repeated.ts';
import { onEveryStore } from '../support/stores.ts';
import { refused } from '../support/refusals.ts';

const statusOf = ({ status }: Answer): number => status;
const at20 = (ask: (place: number) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: 20 }, (_, place) => repeated(ask)(place)));
const fresh = () => email(`${randomUUID()}@example.com`);

onEveryStore((store) => {
  let world: ReturnType<typeof keyWorld>;
  let by: { accountId: string };
  beforeEach(async () => {
    world = keyWorld({ wrap: store, seed: randomUUID() });
    by = { accountId: randomUUID() };
    await world.openAccount(0, { id: by.accountId });
  });
  const quota = async () => (await store().read([keys.keyQuota(companyOne, by.accountId)]))[0];

  describe('20 concurrent calls', () => {
    it('create one validation, count one code and get one response when they are equal', async () => {
      const [body, key] = [fresh(), randomUUID()];
      const responses = await at20(() => world.create(body, { ...by, key }));
      expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
      expect(await quota()).toMatchObject({ codes: 1, keys: 0 });
    });

    it('get ten codes of their account in total when their PIX keys differ', async () => {
      const responses = await at20(() => world.create(fresh(), by));
      expect(responses.filter((response) => statusOf(response) === 201)).toHaveLength(10);
      expect(await quota()).toMatchObject({ codes: 10 });
    });

    it('get ten codes to one address in total when they come from two companies', async () => {
      const theirs = { companyId: otherCompany, accountId: randomUUID() };
      await world.openAccount(0, { id: theirs.accountId, companyId: otherCompany });
      const key = fresh();
      const responses = await at20((place) => world.create(key, place % 2 === 0 ? by : theirs));
      expect(responses.map(statusOf).toSorted()).toEqual([
        ...Array<number>(10).fill(201),
        ...Array<number>(10).fill(409),
      ]);
    });

    it('get three more codes when they resend with different idempotency keys, and only the last code is sent and valid', async () => {
      const { validationId, code } = await world.begun(fresh(), by);
      const responses = await at20(() => world.resend(validationId, by));
      expect(responses.filter((response) => statusOf(response) === 200)).toHaveLength(3);
      for (let number = 2; number <= 4; number += 1) await world.sendOf({ ...by, validationId, number });
      expect(world.sent).toHaveLength(2);
      refused(await world.confirm(validationId, code, by), 409);
      expect(statusOf(await world.confirm(validationId, world.sent[1]?.code ?? '', by))).toBe(200);
    });

    it('are compared five times when they have wrong codes, and the right one among them confirms or is too late', async () => {
      const { validationId, code } = await world.begun(fresh(), by);
      const responses = await at20((place) => world.confirm(validationId, otherThan(code, place), by));
      const [stored] = await store().read([keys.keyValidation(companyOne, by.accountId, validationId)]);
      const confirmed = responses.filter((response) => statusOf(response) === 200);
      expect(stored?.['status']).toBe(confirmed.length === 1 ? 'CONFIRMED' : 'BLOCKED');
      expect(stored?.['wrongTries']).toBeLessThanOrEqual(5);
      expect(await quota()).toMatchObject({ keys: confirmed.length });
    });
  });

  it('a key that accounts of two companies confirm at once has one of them', async () => {
    const theirs = { companyId: otherCompany, accountId: randomUUID() };
    await world.openAccount(0, { id: theirs.accountId, companyId: otherCompany });
    const key = fresh();
    const [one, two] = [await world.begun(key, by), await world.begun(key, theirs)];
    const confirm = repeated(world.confirm);
    const responses = await Promise.all([
      confirm(one.validationId, one.code, by),
      confirm(two.validationId, two.code, theirs),
    ]);
    expect(responses.map(statusOf).toSorted()).toEqual([200, 409]);
    const owners = await Promise.all(
      [companyOne, otherCompany].map((companyId) => findAccountByKey(store(), companyId, key)),
    );
    expect(owners.filter((owner) => owner !== undefined)).toHaveLength(1);
  });

  it('a code that two send at once is the same in both messages, and is the right one', async () => {
    const { body } = await world.create(fresh(), by);
    const { validationId } = body as { validationId: string };
    const owed = { ...by, validationId, number: 1 };
    await Promise.all([world.sendOf(owed), world.sendOf(owed)]);
    expect(new Set(world.sent.map(({ code }) => code)).size).toBe(1);
    expect(statusOf(await world.confirm(validationId, world.sent[0]?.code ?? '', by))).toBe(200);
  });
});

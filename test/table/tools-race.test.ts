import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { payInBody, payoutBody } from '../support/bank-world.ts';
import type { TestEngine } from '../support/engine.ts';
import { startEngine } from '../support/engine.ts';
import type { RaceWorld } from './race-world.ts';
import { raceWorld } from './race-world.ts';

let engine: TestEngine;
let { world, companyId, accountId } = {} as RaceWorld;

beforeAll(async () => {
  engine = await startEngine();
});
afterAll(async () => {
  await engine.stop();
});
beforeEach(async () => {
  ({ world, companyId, accountId } = raceWorld(engine));
  await world.openAccount(400_000_00, { id: accountId, companyId });
});

describe('twenty calls of a tool at once', () => {
  it('pay one pay-in once, and tell the others that it is paid', async () => {
    const created = await world.createPayIn({ companyId, key: 'i', body: payInBody({ accountId }) });
    const { id } = created.body as { id: string };
    const responses = await Promise.all(Array.from({ length: 20 }, () => world.force(id, 'PAID', companyId)));
    const statuses = responses.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([200, ...Array<number>(19).fill(409)]);
  });

  it('pay the twenty payments of one batch, every one of them', async () => {
    const amount = { currency: 'BRL', value: '300000.00' };
    const created = await world.createPayout({ companyId, key: 'o', body: payoutBody({ accountId, amount }) });
    const { id } = created.body as { id: string };
    const child = (place: number) => `${id.slice(0, -2)}${(place + 1).toString(16).padStart(2, '0')}`;
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, place) => world.force(child(place), 'PAID', companyId)),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
  });
});

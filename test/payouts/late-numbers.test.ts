import { beforeEach, describe, expect, it } from 'vitest';
import type { CommandOutcome } from '#shared/bank/outcome.ts';
import type { PaymentState } from '#shared/bank/ports/payouts.ts';
import type { World } from '../support/bank-world.ts';
import { bankWorld, companyOne, noon, payoutBody } from '../support/bank-world.ts';

/** End-to-end ids are the bank's: of one that gives none before a payment is sent. */

let world: World;
let response: (reference: string) => CommandOutcome<PaymentState>;
beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(100_000_00);
  world.setCapabilities({ isPolled: true });
  world.bank.payouts.prepare = () => Promise.resolve({});
  world.bank.payouts.send.submit = ({ reference }) => Promise.resolve(response(reference));
  world.bank.payouts.send.find = ({ reference }) => Promise.resolve(response(reference));
});

const numberOf = (reference: string): string => `E60701190202601151500${reference.slice(-11).replaceAll('-', 'x')}`;
const accepted = (reference: string): CommandOutcome<PaymentState> => {
  return { outcome: 'DONE', state: { status: 'ACCEPTED', returns: [], endToEndId: numberOf(reference) } };
};
const unnumbered: CommandOutcome<PaymentState> = { outcome: 'DONE', state: { status: 'ACCEPTED', returns: [] } };
const body = payoutBody();
const batch = payoutBody({ amount: { currency: 'BRL', value: '40000.00' } });
type CreatedPayout = {
  id: string;
  endToEndId?: string;
  batch?: { transactions: { id: string; endToEndId?: string }[] };
};

const create = (requestBody: Record<string, unknown>) =>
  world.createPayout({ companyId: companyOne, key: 'k', body: requestBody });
const read = async (id: string) =>
  (await world.getPayout({ companyId: companyOne, params: { id } })).body as CreatedPayout;
const found = async (endToEndId: string) => {
  const { body: page } = await world.listPayouts({ companyId: companyOne, query: { endToEndId } });
  return (page as { data: CreatedPayout[] }).data.map(({ id }) => id);
};

describe('a number that the bank gives', () => {
  it('within the request is in the first response and in every replay, also after later facts', async () => {
    response = accepted;
    const first = await create(body);
    const { id, endToEndId } = first.body as CreatedPayout;
    expect(endToEndId).toBe(numberOf(id));
    await world.force(id, 'PAID');
    expect((await create(body)).text).toBe(first.text);
    expect(await found(numberOf(id))).toEqual([id]);
  });

  it('later is absent from the first response and every replay, and present wherever it is read', async () => {
    response = () => unnumbered;
    const first = await create(body);
    const { id } = first.body as CreatedPayout;
    expect(first.body).not.toHaveProperty('endToEndId');
    response = accepted;
    world.clock.now = '2026-01-15T15:02:00.000Z';
    await world.submitPayouts();
    expect(await read(id)).toMatchObject({ endToEndId: numberOf(id) });
    expect((await create(body)).text, 'a replay has the same bytes').toBe(first.text);
    expect(await found(numberOf(id))).toEqual([id]);
    await world.force(id, 'PAID');
    expect(world.notifications()).toMatchObject([{ endToEndId: numberOf(id) }]);
  });

  it('with its end comes with it', async () => {
    response = () => unnumbered;
    const { id } = (await create(body)).body as CreatedPayout;
    const state = { status: 'PAID', returns: [], at: noon, endToEndId: numberOf(id) } as const;
    response = () => ({ outcome: 'DONE', state });
    world.clock.now = '2026-01-15T15:02:00.000Z';
    await world.submitPayouts();
    expect(await read(id)).toMatchObject({ status: 'PAID', endToEndId: numberOf(id) });
    expect(world.notifications()).toMatchObject([{ endToEndId: numberOf(id) }]);
    expect(await found(numberOf(id))).toEqual([id]);
  });

  it('late stays late for a replay that came first', async () => {
    response = () => {
      throw new Error('The function died.');
    };
    await create(body);
    const replay = await create(body);
    response = accepted;
    world.clock.now = '2026-01-15T15:02:00.000Z';
    await world.submitPayouts();
    expect(replay.body).not.toHaveProperty('endToEndId');
    expect((await create(body)).text).toBe(replay.text);
  });

  it('is never invented: a payout of which the bank gives none has none', async () => {
    response = () => unnumbered;
    const { id } = (await create(body)).body as CreatedPayout;
    response = () => ({ outcome: 'DONE', state: { status: 'ERROR', reason: 'No.', returns: [] } });
    world.clock.now = '2026-01-15T15:02:00.000Z';
    await world.submitPayouts();
    expect(await read(id)).not.toHaveProperty('endToEndId');
    expect(world.notifications()).toMatchObject([{ endToEndId: null }]);
  });
});

describe('the payments of a batch', () => {
  it('have their own numbers: some within the request, some later, and each finds the batch', async () => {
    const isFirst = (reference: string) => reference.endsWith('01');
    response = (reference) => (isFirst(reference) ? accepted(reference) : unnumbered);
    const first = await create(batch);
    const { id, endToEndId, batch: createdBatch } = first.body as CreatedPayout;
    expect(createdBatch?.transactions.map((one) => one.endToEndId)).toEqual([
      numberOf(`${id.slice(0, -2)}01`),
      undefined,
      undefined,
    ]);
    expect(endToEndId).toBe(numberOf(`${id.slice(0, -2)}01`));
    response = accepted;
    world.clock.now = '2026-01-15T15:02:00.000Z';
    await world.submitPayouts();
    const { batch: known } = await read(id);
    for (const one of known?.transactions ?? []) {
      expect(one.endToEndId).toBe(numberOf(one.id));
      expect(await found(numberOf(one.id))).toEqual([id]);
    }
    expect((await create(batch)).text).toBe(first.text);
  });
});

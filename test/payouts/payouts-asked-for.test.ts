import { beforeEach, describe, expect, it } from 'vitest';
import type { PaymentState } from '#shared/bank/ports/payouts.ts';
import type { World } from '../support/bank-world.ts';
import { bankWorld, companyOne, payoutBody } from '../support/bank-world.ts';
import type { Weather } from '../support/remembering-bank.ts';
import { rememberingPayouts } from '../support/remembering-bank.ts';
import { refused } from '../support/refusals.ts';

const asking = { companyId: companyOne, connection: undefined, at: '2026-01-15T15:00:00.000Z' };
const batch = { amount: { currency: 'BRL', value: '40000.00' } };
const later = ['2026-01-15T15:02:00.000Z', '2026-01-15T15:04:00.000Z', '2026-01-15T15:06:00.000Z'] as const;

let world: World;
let bank: ReturnType<typeof rememberingPayouts>;
/** How the next calls go; fine when none is left. */
let faultSchedule: Weather[];
beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(100_000_00);
  faultSchedule = [];
  bank = rememberingPayouts(
    (order) => world.simulated.payouts.send.submit(order, asking),
    () => faultSchedule.shift() ?? 'FINE',
  );
  Object.assign(world.bank.payouts, bank.payouts);
});

type Body = { id: string; status: string; paidAt?: string; errorMessage?: string };

async function create(more: Record<string, unknown> = {}): Promise<Body> {
  const response = await world.createPayout({ companyId: companyOne, key: 'k', body: payoutBody(more) });
  expect(response.status).toBe(201);
  return response.body as Body;
}

async function read(id: string): Promise<Body> {
  return (await world.getPayout({ companyId: companyOne, params: { id } })).body as Body;
}

const returns: never[] = [];
const listReferences = (): readonly string[] => bank.made.map(({ reference }) => reference).sort();
const child = (id: string, sequence: number): string => `${id.slice(0, -2)}0${sequence}`;

describe('a bank that refuses a repetition', () => {
  it('has each payment once, and none of them fails, when all is well', async () => {
    const { id } = await create(batch);
    world.bank.payouts.send.submit = () => Promise.reject(new Error('given again'));
    world.clock.now = later[0];
    expect(await world.submitPayouts()).toMatchObject({ submitted: 1, failed: 0 });
    expect(listReferences()).toEqual([child(id, 1), child(id, 2), child(id, 3)]);
    expect(await read(id)).toMatchObject({ status: 'PENDING' });
    expect(world.items('PAYOUT')[0]).not.toHaveProperty('GSI2PK');
  });

  it.each<readonly [string, readonly Weather[]]>([
    ['the call is lost', ['LOST']],
    ['the response is lost', ['UNANSWERED']],
    ['the response and the look-up after it are lost', ['UNANSWERED', 'LOST']],
    ['the call and the second call are lost', ['LOST', 'FINE', 'LOST']],
    ['the call and the second response are lost', ['LOST', 'FINE', 'UNANSWERED']],
  ])('makes one payment when %s', async (_name, happens) => {
    faultSchedule = [...happens];
    const { id } = await create();
    for (const now of later) {
      world.clock.now = now;
      await world.submitPayouts();
    }
    expect(listReferences()).toEqual([id]);
    expect(await read(id)).toMatchObject({ status: 'PENDING' });
    expect(world.items('PAYOUT')[0], 'nothing is due any more').not.toHaveProperty('GSI2PK');
  });

  it('gets only the payments of a batch that it does not have', async () => {
    // The first ten begin together: of the three payments the second is taken without an answer, the third never
    // arrives.
    faultSchedule = ['FINE', 'UNANSWERED', 'LOST'];
    const { id } = await create(batch);
    expect(listReferences()).toEqual([child(id, 1), child(id, 2)]);
    world.clock.now = later[0];
    await world.submitPayouts();
    expect(listReferences()).toEqual([child(id, 1), child(id, 2), child(id, 3)]);
    expect(await read(id)).toMatchObject({ status: 'PENDING', batch: { pendingCount: 3 } });
  });

  it('has each payment once when two runs send it at the same time', async () => {
    faultSchedule = ['LOST'];
    const { id } = await create();
    world.clock.now = later[0];
    await Promise.all([world.submitPayouts(), world.submitPayouts(), world.submitPayouts()]);
    expect(listReferences()).toEqual([id]);
    expect(await read(id)).toMatchObject({ status: 'PENDING' });
  });

  it('fails a payment that it refuses, also when its response is lost', async () => {
    faultSchedule = ['UNANSWERED'];
    const { id } = await create({ paymentData: { pixKey: 'refused@bank.example' } });
    expect(await read(id)).toMatchObject({ status: 'PENDING' });
    world.clock.now = later[0];
    await world.submitPayouts();
    expect(await read(id)).toMatchObject({ status: 'ERROR', errorMessage: expect.stringMatching(/^AC03: /) });
  });

  it('leaves a refused payment PENDING until a look-up succeeds', async () => {
    faultSchedule = ['FINE', 'LOST'];
    const { id } = await create({ paymentData: { pixKey: 'refused@bank.example' } });
    expect(await read(id)).toMatchObject({ status: 'PENDING' });
    world.clock.now = later[0];
    await world.submitPayouts();
    expect(await read(id)).toMatchObject({ status: 'ERROR' });
  });
});

describe('a payment that is canceled at the bank', () => {
  it.each<readonly [string, readonly Weather[], number]>([
    ['is canceled at the first call', [], 200],
    ['is canceled when the response is lost and a look-up finds the outcome', ['UNANSWERED'], 200],
    ['gets 503 when the response and the look-up are lost', ['UNANSWERED', 'LOST'], 503],
    ['gets 503 when the call is lost', ['LOST'], 503],
  ])('%s', async (_name, happens, status) => {
    const { id } = await create();
    faultSchedule = [...happens];
    expect(await world.force(id, 'CANCELED')).toMatchObject({ status });
    expect(await read(id)).toMatchObject({ status: status === 200 ? 'CANCELED' : 'PENDING' });
    // Whatever the bank did then, the same call finishes it.
    if (status === 503) expect(await world.force(id, 'CANCELED')).toMatchObject({ status: 200 });
    expect(await read(id)).toMatchObject({ status: 'CANCELED' });
    expect(world.items('DELIVERY')).toHaveLength(1);
  });

  it('is refused with 409 when the bank has paid it', async () => {
    const { id } = await create();
    bank.settle(id, { status: 'PAID', returns, at: later[0], endToEndId: `E${'9'.repeat(20)}${'a'.repeat(11)}` });
    refused(await world.force(id, 'CANCELED'), 409);
    expect(await read(id)).toMatchObject({ status: 'PENDING' });
  });
});

describe('the poll of a payment applies the final status of the bank', () => {
  it.each<readonly [string, PaymentState, object]>([
    [
      'paid',
      { status: 'PAID', returns, at: '2026-01-15T15:00:01.000Z', endToEndId: `E${'9'.repeat(20)}${'a'.repeat(11)}` },
      { status: 'PAID', paidAt: '2026-01-15T15:00:01.000Z' },
    ],
    [
      'failed',
      { status: 'ERROR', returns, code: 'AC07', reason: 'Closed.' },
      { status: 'ERROR', errorMessage: 'AC07: Closed.' },
    ],
    ['canceled', { status: 'CANCELED', returns }, { status: 'CANCELED' }],
  ])('when the payment is %s', async (_name, facts, expected) => {
    const { id } = await create();
    bank.settle(id, facts);
    world.clock.now = later[0];
    await world.submitPayouts();
    expect(await read(id)).toMatchObject(expected);
    expect(world.items('DELIVERY')).toHaveLength(1);
    await world.submitPayouts();
    expect(world.items('DELIVERY')).toHaveLength(1);
  });

  it('for each payment of a batch, in one transaction', async () => {
    const { id } = await create(batch);
    bank.settle(child(id, 1), { status: 'CANCELED', returns });
    bank.settle(child(id, 2), { status: 'ERROR', returns, code: 'AB03', reason: 'Too late.' });
    world.clock.now = later[0];
    await world.submitPayouts();
    expect(await read(id)).toMatchObject({
      status: 'PENDING',
      batch: { transactions: [{ status: 'CANCELED' }, { errorMessage: 'AB03: Too late.' }, { status: 'PENDING' }] },
    });
    expect(world.items('LEDGER_ENTRY')).toHaveLength(3);
  });

  it('except to a payment that became final meanwhile', async () => {
    const { id } = await create();
    bank.settle(id, { status: 'ERROR', returns, reason: 'No.' });
    const { find } = world.bank.payouts.send;
    world.bank.payouts.send.find = async (...asked) => {
      await world.force(id, 'PAID');
      return find(...asked);
    };
    world.clock.now = later[0];
    await world.submitPayouts();
    expect(await read(id)).toMatchObject({ status: 'PAID' });
    expect(world.items('DELIVERY')).toHaveLength(1);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import type { CommandOutcome } from '#shared/bank/outcome.ts';
import { refusedAccounts, timeoutAccount } from '#shared/bank/simulated/reserved.ts';
import type { PaymentOrder } from '#shared/bank/ports/payouts.ts';
import type { World } from '../support/bank-world.ts';
import { account, accountElsewhere, bankWorld, companyOne, payoutBody, receiver } from '../support/bank-world.ts';

const saturday = '2026-01-17T15:00:00.000Z';
const monday = '2026-01-19T09:30:00.000Z';
const ted = { paymentMethod: 'TED', paymentData: { bankAccount: accountElsewhere }, receiver: receiver };

let world: World;
let submitted: PaymentOrder[];
beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(100_000_00);
  submitted = [];
  world.bank.payouts.send.submit = (instruction, asking) => {
    submitted.push(instruction);
    return world.simulated.payouts.send.submit(instruction, asking);
  };
});

type Body = {
  id: string;
  status: string;
  controlNumber?: string;
  endToEndId?: string;
  updatedAt: string;
  errorMessage?: string;
};

async function create(more: Record<string, unknown> = {}): Promise<Body> {
  const response = await world.createPayout({ companyId: companyOne, key: 'k', body: payoutBody(more) });
  expect(response.status).toBe(201);
  return response.body as Body;
}

async function read(id: string): Promise<Body> {
  return (await world.getPayout({ companyId: companyOne, params: { id } })).body as Body;
}

const references = (): unknown[] => submitted.map(({ reference }) => reference);
const controlNumbers = (): unknown[] => submitted.map(({ controlNumber }) => controlNumber);
const unavailable = (): Promise<CommandOutcome<never>> => Promise.resolve({ outcome: 'UNKNOWN' });

describe('a PIX payout', () => {
  it('is sent to the bank with all its data as soon as it is created', async () => {
    const { id, endToEndId } = await create();
    expect(submitted).toMatchObject([
      {
        reference: id,
        endToEndId,
        initiation: 'KEY',
        amount: 1000,
        description: 'Supplier',
        payer: { document: '11444777000161' },
        receiver: { pix: { key: '52998224725' } },
      },
    ]);
  });

  it('is sent once more two minutes later, under the same reference, and then no more', async () => {
    const { id } = await create();
    world.clock.now = '2026-01-15T15:01:59.999Z';
    expect(await world.submitPayouts()).toEqual({ submitted: 0, postponed: 0, failed: 0 });
    world.clock.now = '2026-01-15T15:02:00.000Z';
    expect(await world.submitPayouts()).toEqual({ submitted: 1, postponed: 0, failed: 0 });
    expect(references()).toEqual([id, id]);
    world.clock.now = '2026-01-16T15:02:00.000Z';
    expect(await world.submitPayouts()).toEqual({ submitted: 0, postponed: 0, failed: 0 });
  });

  it('is sent by one of two concurrent runs: the bank may refuse the second, and show the first late', async () => {
    world.bank.payouts.send.find = () => Promise.resolve({ outcome: 'NEVER_SEEN' });
    const { id } = await create();
    world.clock.now = '2026-01-15T15:02:00.000Z';
    await Promise.all([world.submitPayouts(), world.submitPayouts(), world.submitPayouts()]);
    expect(references()).toEqual([id, id]);
  });

  it('is created although the bank does not answer, and is tried until it does', async () => {
    const { submit: send } = world.bank.payouts.send;
    world.bank.payouts.send.submit = unavailable;
    const { id } = await create();
    for (const now of ['2026-01-15T15:02:00.000Z', '2026-01-15T15:04:00.000Z']) {
      world.clock.now = now;
      expect(await world.submitPayouts(), now).toEqual({ submitted: 0, postponed: 0, failed: 1 });
      expect(await world.submitPayouts(), 'not again immediately').toEqual({ submitted: 0, postponed: 0, failed: 0 });
    }
    world.bank.payouts.send.submit = send;
    world.clock.now = '2026-01-15T15:06:00.000Z';
    expect(await world.submitPayouts()).toMatchObject({ submitted: 1 });
    expect((await read(id)).status).toBe('PENDING');
  });

  it('becomes ERROR, with the money back and one notification, when the bank refuses it permanently', async () => {
    const created = await create({ paymentData: { pixKey: 'refused@bank.example' } });
    expect(created.status, 'the response is that of its creation').toBe('PENDING');
    expect(await read(created.id)).toMatchObject({
      status: 'ERROR',
      errorMessage: 'AC03: The account of the receiver does not exist.',
    });
    const balance = await world.getBalance({ companyId: companyOne, params: { accountId: account } });
    expect(balance.body).toMatchObject({ available: '100000.00', reserved: '0.00' });
    expect(world.items('DELIVERY')).toMatchObject([{ event: 'ORDER-PAYOUT.ERROR' }]);
    world.clock.now = '2026-01-15T15:02:00.000Z';
    expect(await world.submitPayouts()).toEqual({ submitted: 0, postponed: 0, failed: 0 });
  });

  it('is not sent again when it is final', async () => {
    const { id } = await create();
    await world.force(id, 'PAID');
    world.clock.now = '2026-01-15T15:02:00.000Z';
    expect(await world.submitPayouts()).toEqual({ submitted: 0, postponed: 0, failed: 0 });
    expect(submitted).toHaveLength(1);
  });

  it('is answered with 201 even when the table fails behind it', async () => {
    world.bank.payouts.send.submit = () => Promise.reject(new Error('the process is dying'));
    expect(await create()).toMatchObject({ status: 'PENDING' });
  });
});

describe('a batch', () => {
  const batch = { amount: { currency: 'BRL', value: '40000.00' } };

  it('is sent payment by payment', async () => {
    const { id } = await create(batch);
    expect(submitted.map(({ amount }) => amount)).toEqual([1_500_000, 1_500_000, 1_000_000]);
    expect(references()).toEqual([1, 2, 3].map((place) => `${id.slice(0, -2)}0${place}`));
  });

  it('continues with its other payments when the bank refuses one', async () => {
    world.bank.payouts.send.submit = ({ amount }) =>
      Promise.resolve(
        amount === 1_000_000
          ? { outcome: 'REFUSED', reason: 'No.' }
          : { outcome: 'DONE', state: { status: 'ACCEPTED', returns: [] } },
      );
    const { id } = await create(batch);
    expect(await read(id)).toMatchObject({ status: 'PENDING', batch: { failedCount: 1, pendingCount: 2 } });
    expect(world.items('DELIVERY')).toEqual([]);
    await world.force(id, 'PAID');
    expect(await read(id)).toMatchObject({ status: 'PARTIALLY_PAID', batch: { paidAmount: '30000.00' } });
  });

  it('becomes ERROR in one transition when the bank refuses all its payments', async () => {
    const { id } = await create({ ...batch, paymentData: { pixKey: 'refused@bank.example' } });
    expect(await read(id)).toMatchObject({ status: 'ERROR', batch: { failedCount: 3 } });
    expect(world.items('LEDGER_ENTRY')).toHaveLength(3);
    expect(world.items('DELIVERY')).toHaveLength(1);
  });

  it('is sent again with its open payments only', async () => {
    const { id } = await create(batch);
    submitted = [];
    await world.force(`${id.slice(0, -2)}01`, 'PAID');
    world.clock.now = '2026-01-15T15:02:00.000Z';
    await world.submitPayouts();
    expect(submitted.map(({ amount }) => amount)).toEqual([1_500_000, 1_000_000]);
  });
});

describe('a TED', () => {
  it('is sent immediately within the window and has its control number in the response', async () => {
    const created = await create(ted);
    expect(created.controlNumber).toMatch(/^STR20260115\d{9}$/);
    expect(created).not.toHaveProperty('endToEndId');
    expect(submitted).toMatchObject([{ reference: created.id, controlNumber: created.controlNumber }]);
  });

  it('outside the window is accepted, and sent when the next one opens', async () => {
    world.clock.now = saturday;
    const created = await create(ted);
    expect(created).not.toHaveProperty('controlNumber');
    expect(submitted).toEqual([]);
    world.clock.now = '2026-01-19T09:29:59.999Z';
    expect(await world.submitPayouts()).toEqual({ submitted: 0, postponed: 0, failed: 0 });
    world.clock.now = monday;
    expect(await world.submitPayouts()).toEqual({ submitted: 1, postponed: 0, failed: 0 });
    const { controlNumber, updatedAt } = await read(created.id);
    expect(controlNumber).toMatch(/^STR20260119\d{9}$/);
    expect(updatedAt).toBe(monday);
    expect(controlNumbers()).toEqual([controlNumber]);
    expect(await world.submitPayouts()).toEqual({ submitted: 0, postponed: 0, failed: 0 });
  });

  it.each([
    ['AC06', refusedAccounts.AC06, 'ERROR'],
    ['for a timeout', timeoutAccount, 'PENDING'],
  ])(
    'to an account number of the simulated code %s gets that outcome in the hours of TED, and none before',
    async (code, number, end) => {
      world.clock.now = saturday;
      const bankAccount = { ...accountElsewhere, accountNumber: number };
      const { id } = await create({ ...ted, paymentData: { bankAccount } });
      await world.submitPayouts();
      expect(await read(id)).toMatchObject({ status: 'PENDING' });
      world.clock.now = monday;
      await world.submitPayouts();
      const { status, errorMessage = code } = await read(id);
      expect([status, errorMessage]).toEqual([end, expect.stringMatching(new RegExp(`^${code}`, 'u'))]);
    },
  );

  it('waits for the next window when the run came after its window', async () => {
    world.clock.now = saturday;
    const { id } = await create(ted);
    world.clock.now = '2026-01-19T20:00:00.000Z';
    expect(await world.submitPayouts()).toEqual({ submitted: 0, postponed: 1, failed: 0 });
    expect(submitted).toEqual([]);
    world.clock.now = '2026-01-20T09:30:00.000Z';
    expect(await world.submitPayouts()).toEqual({ submitted: 1, postponed: 0, failed: 0 });
    expect((await read(id)).controlNumber).toMatch(/^STR20260120/);
  });

  it('keeps its control number when the bank did not answer', async () => {
    world.clock.now = saturday;
    const { id } = await create(ted);
    const { submit: send } = world.bank.payouts.send;
    world.bank.payouts.send.submit = unavailable;
    world.clock.now = monday;
    expect(await world.submitPayouts()).toMatchObject({ failed: 1 });
    const { controlNumber } = await read(id);
    world.bank.payouts.send.submit = send;
    world.clock.now = '2026-01-19T09:32:00.000Z';
    expect(await world.submitPayouts()).toMatchObject({ submitted: 1 });
    expect(controlNumbers()).toEqual([controlNumber]);
  });

  it('is sent once by two runs at the same time', async () => {
    world.clock.now = saturday;
    const { id } = await create(ted);
    world.clock.now = monday;
    await Promise.all([world.submitPayouts(), world.submitPayouts(), world.submitPayouts()]);
    const { controlNumber } = await read(id);
    expect(references()).toEqual([id]);
    expect(controlNumbers()).toEqual([controlNumber]);
  });

  it('is never sent when the tool settled it before', async () => {
    world.clock.now = saturday;
    const { id } = await create(ted);
    expect(await world.force(id, 'PAID')).toMatchObject({ status: 200 });
    world.clock.now = monday;
    expect(await world.submitPayouts()).toEqual({ submitted: 0, postponed: 0, failed: 0 });
    expect(submitted).toEqual([]);
  });

  it('is notified with its control number and without an end-to-end id', async () => {
    const { id, controlNumber } = await create(ted);
    await world.force(id, 'PAID');
    expect(world.notifications()).toMatchObject([{ event: 'ORDER-PAYOUT.PAID', controlNumber, endToEndId: null }]);
  });

  it('is not sent when it is canceled while the worker reads it', async () => {
    world.clock.now = saturday;
    const { id } = await create(ted);
    world.clock.now = monday;
    const query = world.store.query.bind(world.store);
    let moved = false;
    world.store.query = async (wanted) => {
      const page = await query(wanted);
      if (!moved && wanted.partition.endsWith(id)) {
        moved = true;
        await world.force(id, 'CANCELED');
      }
      return page;
    };
    await world.submitPayouts();
    expect(submitted).toEqual([]);
    expect((await read(id)).status).toBe('CANCELED');
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { endpointFunction } from '#functions/workers.ts';
import { spiRejections } from '#shared/core/spi-codes.ts';
import { responseTimeoutMs } from '#shared/bank/outcome.ts';
import { timeForBank } from '#shared/bank/submit-in-time.ts';
import { endsAtMs } from '#shared/platform/jobs/run.ts';
import { refusedAccounts } from '#shared/bank/simulated/reserved.ts';
import type { World } from '#test/support/bank-world.ts';
import { accountElsewhere, bankWorld, companyOne, payoutBody, receiver } from '#test/support/bank-world.ts';

type Body = { id: string; status: string; controlNumber?: string; errorMessage?: string };
const money = (value: string) => ({ amount: { currency: 'BRL', value } });
const ted = { paymentMethod: 'TED', paymentData: { bankAccount: accountElsewhere }, receiver: receiver };

let world: World;
beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(2_000_000_00);
});

async function create(more: Record<string, unknown> = {}, key = 'k'): Promise<Body> {
  const response = await world.createPayout({ companyId: companyOne, key, body: payoutBody(more) });
  expect(response.status).toBe(201);
  return response.body as Body;
}

async function read(id: string): Promise<Body> {
  return (await world.getPayout({ companyId: companyOne, params: { id } })).body as Body;
}

describe('a bank that is slow or hangs', () => {
  /** Every call takes its longest, on a clock that moves with it. */
  function hang(): { readonly calls: () => number; readonly elapsedMs: () => number } {
    let calls = 0;
    const ends = new Set<number>();
    let now = 0;
    world.deps.elapsedMs = () => now;
    const hanging = async (): Promise<{ readonly outcome: 'UNKNOWN' }> => {
      calls += 1;
      const end = now + responseTimeoutMs;
      ends.add(end);
      await new Promise((resolve) => setImmediate(resolve));
      now = Math.max(now, end);
      return { outcome: 'UNKNOWN' };
    };
    world.bank.payouts.send.submit = hanging;
    world.bank.payouts.send.find = hanging;
    return { calls: () => calls, elapsedMs: () => now };
  }

  it('costs the creation of a batch of 90 one call’s time, and the rest stays due', async () => {
    const bank = hang();
    const { id } = await create(money('1350000.00'));
    expect(bank.elapsedMs()).toBe(responseTimeoutMs);
    expect(bank.calls()).toBeLessThanOrEqual(10);
    expect(await read(id)).toMatchObject({ status: 'PENDING', batch: { pendingCount: 90 } });
    expect(world.items('PAYOUT')[0]).toHaveProperty('GSI2PK');

    let sent = 0;
    const { submit, find } = world.simulated.payouts.send;
    world.bank.payouts.send = { find, submit: (...given) => ((sent += 1), submit(...given)) };
    world.clock.now = '2026-01-15T15:02:00.000Z';
    expect(await world.submitPayouts(), 'by the worker, when the bank responds again').toMatchObject({
      submitted: 1,
      failed: 0,
    });
    expect(sent).toBe(90);
  });

  it('is not called when it could not answer before the end', async () => {
    const bank = hang();
    const { resolveKey } = world.bank.directory;
    let now = 0;
    world.deps.elapsedMs = () => now;
    world.bank.directory.resolveKey = (...asked) => {
      now = timeForBank(() => 0)() - responseTimeoutMs + 1;
      return resolveKey(...asked);
    };
    expect(await create()).toMatchObject({ status: 'PENDING' });
    expect(bank.calls()).toBe(0);
    expect(world.items('PAYOUT')[0]).toHaveProperty('GSI2PK');
  });

  it('leaves the function time to write down what was refused', () => {
    expect(endpointFunction.timeoutSeconds * 1000 - timeForBank(() => 0)()).toBeGreaterThanOrEqual(2000);
  });

  it('does not hold the worker beyond the end of its run, nor beyond the time to write down what came of it', async () => {
    world.bank.payouts.send.submit = () => Promise.resolve({ outcome: 'UNKNOWN' });
    await create(money('1350000.00'));
    const bank = hang();
    world.clock.now = '2026-01-15T15:02:00.000Z';
    const runMs = 20_000;
    expect(await world.submitPayouts({ remainingMs: () => runMs - bank.elapsedMs() })).toMatchObject({ failed: 1 });
    expect(runMs - bank.elapsedMs(), 'to store the response of the bank').toBeGreaterThanOrEqual(endsAtMs + 2000);
    expect(bank.calls()).toBeLessThan(90);
    expect(world.items('PAYOUT')[0]).toHaveProperty('GSI2PK');
  });

  it('receives all 90 payments of a batch in its creation when it is only slow', async () => {
    let now = 0;
    world.deps.elapsedMs = () => now;
    let calls = 0;
    world.bank.payouts.send.submit = (instruction, asking) => {
      if ((calls += 1) % 10 === 0) now += 400;
      return world.simulated.payouts.send.submit(instruction, asking);
    };
    await create(money('1350000.00'));
    expect(calls).toBe(90);
  });
});

describe('a TED', () => {
  it('waits for the next window, with its control number, when the bank did not take it on its creation', async () => {
    const { submit: send } = world.bank.payouts.send;
    const sent: string[] = [];
    world.bank.payouts.send.submit = () => Promise.resolve({ outcome: 'UNKNOWN' });
    // A Thursday, 16:59 in Brasilia.
    world.clock.now = '2026-01-15T19:59:00.000Z';
    const { id, controlNumber } = await create(ted);
    expect(controlNumber).toMatch(/^STR20260115/);
    world.bank.payouts.send.submit = (instruction, asking) => {
      sent.push(`${world.clock.now} ${instruction.controlNumber}`);
      return send(instruction, asking);
    };
    for (const late of ['2026-01-15T20:01:00.000Z', '2026-01-15T22:30:00.000Z', '2026-01-16T09:29:59.999Z']) {
      world.clock.now = late;
      await world.submitPayouts();
    }
    expect(sent, 'outside the hours of TED').toEqual([]);
    world.clock.now = '2026-01-16T09:30:00.000Z';
    expect(await world.submitPayouts()).toMatchObject({ submitted: 1 });
    expect(sent).toEqual([`2026-01-16T09:30:00.000Z ${controlNumber}`]);
    expect(await read(id)).toMatchObject({ controlNumber });
  });

  it('is not sent when its window closed while it was created', async () => {
    const times = ['2026-01-15T19:59:59.900Z', '2026-01-15T20:00:00.100Z'];
    world.deps.now = () => times.shift() ?? '2026-01-15T20:00:00.100Z';
    let calls = 0;
    world.bank.payouts.send.submit = () => Promise.reject(new Error(`handed over ${(calls += 1)} times`));
    await create(ted);
    expect(calls).toBe(0);
    expect(world.items('PAYOUT')[0]).toHaveProperty('GSI2PK');
  });

  it('has a control number in record and notification when it is forced to PAID before it was sent', async () => {
    world.clock.now = '2026-01-17T15:00:00.000Z';
    const { id } = await create(ted);
    expect(await read(id)).not.toHaveProperty('controlNumber');
    await world.force(id, 'PAID');
    const { controlNumber } = await read(id);
    expect(controlNumber).toMatch(/^STR20260117\d{9}$/);
    expect(world.notifications()).toMatchObject([{ event: 'ORDER-PAYOUT.PAID', controlNumber, endToEndId: null }]);
    const again = await create({}, 'other');
    expect(again).not.toHaveProperty('controlNumber');
  });

  it.each(['ERROR', 'CANCELED'])('has no control number when it is forced to %s before it was sent', async (status) => {
    world.clock.now = '2026-01-17T15:00:00.000Z';
    const { id } = await create(ted);
    await world.force(id, status);
    expect(await read(id)).not.toHaveProperty('controlNumber');
  });
});

describe('the control number of a TED is unique', () => {
  const saturday = '2026-01-17T15:00:00.000Z';
  const monday = '2026-01-19T09:30:00.000Z';
  const listControlNumbers = (): readonly unknown[] => world.items('PAYOUT').map((item) => item['controlNumber']);

  /** A source of chance that gives each number several times before it goes on. */
  beforeEach(() => {
    let drawn = 0;
    Object.assign(world.ids, {
      digits: (length: number) => String(Math.floor((drawn += 1) / 3)).padStart(length, '0'),
    });
  });

  it('when the TED is created in its window', async () => {
    for (let count = 0; count < 6; count += 1) await create(ted, `k-${count}`);
    expect(new Set(listControlNumbers()).size).toBe(6);
  });

  it('when the TED is sent by the worker, or settled before', async () => {
    world.clock.now = saturday;
    const ids: string[] = [];
    for (let count = 0; count < 6; count += 1) ids.push((await create(ted, `k-${count}`)).id);
    await world.force(ids[0]!, 'PAID');
    await world.force(ids[1]!, 'PAID');
    world.clock.now = monday;
    expect(await world.submitPayouts()).toMatchObject({ submitted: 4 });
    expect(listControlNumbers().every((number) => typeof number === 'string')).toBe(true);
    expect(new Set(listControlNumbers()).size).toBe(6);
  });

  it('when no number is left: the TED stays due and is not sent to the bank', async () => {
    world.clock.now = saturday;
    await create(ted, 'k-1');
    await create(ted, 'k-2');
    Object.assign(world.ids, { digits: (length: number) => '7'.repeat(length) });
    let sent = 0;
    world.bank.payouts.send.submit = (instruction, asking) => {
      sent += 1;
      return world.simulated.payouts.send.submit(instruction, asking);
    };
    world.clock.now = monday;
    expect(await world.submitPayouts()).toMatchObject({ submitted: 1, failed: 1 });
    expect(sent).toBe(1);
    expect(world.items('PAYOUT').filter((item) => item['GSI2PK'] !== undefined)).toHaveLength(1);
  });
});

describe('a payout that the simulated bank refuses', () => {
  it.each(Object.entries(refusedAccounts))(
    'has an error message that begins with %s when its account number is %s',
    async (code, accountNumber) => {
      const bankAccount = { ...accountElsewhere, accountNumber };
      const { id } = await create({ paymentData: { bankAccount }, receiver: receiver });
      const errorMessage = `${code}: ${spiRejections[code as keyof typeof spiRejections]}`;
      expect(await read(id)).toMatchObject({ status: 'ERROR', errorMessage });
      expect(world.notifications()).toMatchObject([{ event: 'ORDER-PAYOUT.ERROR', message: errorMessage }]);
    },
  );
});

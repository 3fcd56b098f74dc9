import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openAt, showUnanswered } from '#infra/operator/bank-unanswered.ts';
import { runCommandLine } from '#infra/operator/main.ts';
import { brl } from '#shared/contract/examples.ts';
import { centavos } from '#shared/core/money.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { e2e, rtrId } from '../bank-events/bank-events-world.ts';
import type { ClaimsWorld } from '../bank-events/claims-world.ts';
import { claimsWorld } from '../bank-events/claims-world.ts';
import { disputesWorld } from '../disputes/disputes-world.ts';
import type { World } from '../support/bank-world.ts';
import { account, companyOne, otherCompany } from '../support/bank-world.ts';
import { connectionId } from '../support/connected-items.ts';
import { each } from '../support/each.ts';
import { collectLines } from '../support/logged.ts';
import { runCounted } from '../support/run-jobs.ts';
import { testOperator, withoutTrail } from './terminal.ts';

beforeEach(() => {
  collectLines();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** The operator's command on a world, at the time of its clock. */
function operatorOf({ store, clock }: Pick<World, 'clock'> & { readonly store: World['store'] }) {
  const operator = { ...testOperator('local', store), now: () => clock.now };
  const run = async (...args: readonly string[]) => {
    const said = { out: '', err: '' };
    const out = (text: string) => (said.out += text);
    const err = (text: string) => (said.err += text);
    const code = await runCommandLine([...args, '--json'], () => operator, { out, err });
    return { code, ...said };
  };
  return {
    run,
    json: async (...args: readonly string[]): Promise<Record<string, unknown>> => {
      const { code, out, err } = await run(...args);
      if (code !== 0) throw new Error(`${args.join(' ')}: ${err}`);
      return JSON.parse(out) as Record<string, unknown>;
    },
  };
}
const missing = 'ffffffff-ffff-4fff-8fff-ffffffffffff';

describe('dispute:open at the simulated bank', () => {
  let tested: ReturnType<typeof disputesWorld>;
  let operator: ReturnType<typeof operatorOf>;
  let orderId: string;
  let endToEndId: string;
  const open = (...more: readonly string[]) => [
    ...['dispute:open', '--company', companyOne, '--end-to-end-id', endToEndId, '--reason', 'By mail.', ...more],
  ];
  const decide = (disputeId: string, status: string, ...more: readonly string[]) => [
    ...['dispute:decide', '--company', companyOne, '--dispute', disputeId, '--status', status, ...more],
  ];
  beforeEach(async () => {
    tested = disputesWorld();
    await tested.world.openAccount(0);
    orderId = await tested.paid('100.00');
    endToEndId = tested.world.items('RECEIVED_PIX')[0]?.['endToEndId'] as string;
    operator = operatorOf(tested.world);
  });
  const refusedTo = async (args: readonly string[], code: number): Promise<string> => {
    const before = withoutTrail(tested.world.items());
    const said = await operator.run(...args);
    expect(said).toMatchObject({ code, out: '' });
    expect(withoutTrail(tested.world.items())).toEqual(before);
    return said.err;
  };

  it('the command blocks all that is left for seven days, notifies the partner, and prints the dispute', async () => {
    const facts = await operator.json(...open());
    const { now } = tested.world.clock;
    expect(facts).toMatchObject({
      ...{ accountId: account, orderId, creditId: null, endToEndId, status: 'OPEN' },
      ...{ amount: '100.00', blocked: '100.00', returned: '0.00', dueAt: plusSeconds(now, 7 * 86_400) },
    });
    const record = await tested.calls.record(String(facts['disputeId']));
    expect(record).toMatchObject({ kind: 'FRAUD', reason: 'By mail.', status: 'OPEN', blockedAmount: brl('100.00') });
    expect(tested.calls.told()).toEqual(['DISPUTE.OPENED']);
    tested.consistent();
  });

  it('takes an amount, a kind and days', async () => {
    const more = ['--amount', '30.00', '--kind', 'OPERATIONAL_ERROR', '--days', '3'];
    const { disputeId, dueAt } = await operator.json(...open(...more));
    expect(dueAt).toBe(plusSeconds(tested.world.clock.now, 3 * 86_400));
    expect(await tested.calls.record(String(disputeId))).toMatchObject({
      ...{ kind: 'OPERATIONAL_ERROR', amount: brl('30.00') },
    });
  });

  it('the command names the credit for money that no charge expected', async () => {
    const creditId = await tested.credits.received('20.00');
    endToEndId = (await tested.credits.record(creditId)).endToEndId;
    expect(await operator.json(...open())).toMatchObject({ orderId: null, creditId, amount: '20.00' });
  });

  it('is refused for a payment that the company did not receive', async () => {
    const known = endToEndId;
    endToEndId = e2e(77);
    expect(await refusedTo(open(), 1)).toMatch(/payment/iu);
    endToEndId = known;
    await refusedTo(open().with(2, otherCompany), 1);
  });

  it('is refused for a payment that is in a dispute, and for more than is left', async () => {
    await refusedTo(open('--amount', '100.01'), 1);
    await operator.json(...open('--amount', '1.00'));
    expect(await refusedTo(open(), 1)).toMatch(/in the dispute/u);
  });

  it('is refused when an option is invalid', async () => {
    for (const [option, value] of each([
      ['--amount', '0'],
      ['--amount', '-1'],
      ['--amount', '1.005'],
      ['--kind', 'THEFT'],
      ['--days', '0'],
      ['--days', '91'],
    ] as const))
      await refusedTo(open(option, value), 2);
    await refusedTo(open().with(4, 'E1'), 2);
  });

  it('a dispute is decided and notified once with each status, and a second decision is refused', async () => {
    for (const [status, blocked, returned] of each([
      ['DEFENDED', '10.00', '0.00'],
      ['REJECTED', '0.00', '0.00'],
      ['CANCELED', '0.00', '0.00'],
      ['ACCEPTED', '0.00', '10.00'],
    ] as const)) {
      await tested.paid('10.00');
      endToEndId = tested.world.items('RECEIVED_PIX').at(-1)?.['endToEndId'] as string;
      const disputeId = String((await operator.json(...open()))['disputeId']);
      tested.passes(60);
      const told = tested.calls.told().length;
      expect(await operator.json(...decide(disputeId, status))).toMatchObject({ disputeId, status, blocked, returned });
      expect(tested.calls.told().slice(told)).toEqual([`DISPUTE.${status}`]);
      await refusedTo(decide(disputeId, status), 1);
      tested.consistent();
    }
  });

  it('is ACCEPTED by a part of it', async () => {
    const disputeId = String((await operator.json(...open()))['disputeId']);
    await refusedTo(decide(disputeId, 'ACCEPTED', '--amount', '100.01'), 1);
    expect(await operator.json(...decide(disputeId, 'ACCEPTED', '--amount', '30.00'))).toMatchObject({
      ...{ status: 'ACCEPTED', amount: '100.00', blocked: '0.00', returned: '30.00' },
    });
    expect(await tested.calls.balance()).toEqual(['70.00', '0.00', '0.00']);
    tested.consistent();
  });

  it('is not decided when it is unknown, of another company, or the options do not fit', async () => {
    await refusedTo(decide(missing, 'REJECTED'), 1);
    await refusedTo(decide(missing, 'ACCEPTED'), 1);
    const disputeId = String((await operator.json(...open()))['disputeId']);
    await refusedTo(decide(disputeId, 'REJECTED').with(2, otherCompany), 1);
    await refusedTo(decide(disputeId, 'OPEN'), 2);
    for (const status of each(['DEFENDED', 'REJECTED', 'CANCELED'])) {
      await refusedTo(decide(disputeId, status, '--amount', '1.00'), 2);
      await refusedTo(decide(disputeId, status, '--return-id', rtrId(1)), 2);
    }
    await refusedTo(decide(disputeId, 'ACCEPTED', '--return-id', 'R1'), 2);
    await refusedTo(decide('x', 'REJECTED'), 2);
  });
});

describe('a dispute at a connected bank', () => {
  let tested: ClaimsWorld;
  let operator: ReturnType<typeof operatorOf>;
  let disputeId: string;
  beforeEach(async () => {
    tested = await claimsWorld();
    await tested.paid(1, 10_000);
    operator = operatorOf(tested.world);
    const args = ['--company', companyOne, '--end-to-end-id', e2e(1), '--reason', 'By mail.'];
    disputeId = String((await operator.json('dispute:open', ...args))['disputeId']);
    tested.passes(60);
  });
  const accept = (...more: readonly string[]) => [
    ...['dispute:decide', '--company', companyOne, '--dispute', disputeId, '--status', 'ACCEPTED', ...more],
  ];
  const returned = () => tested.calls.entries().filter(([kind]) => kind === 'MED_RETURNED');

  it('a dispute is not ACCEPTED without the id of the return, and no record is written', async () => {
    const before = withoutTrail(tested.world.items());
    const { code, err } = await operator.run(...accept());
    expect([code, err]).toEqual([1, expect.stringContaining('--return-id')]);
    expect(withoutTrail(tested.world.items())).toEqual(before);
  });

  it.each([
    [[], '100.00', 10_000],
    [['--amount', '30.00'], '30.00', 3000],
  ] as const)('is ACCEPTED with %j, which the lists of the bank do not book again', async (more, back, amount) => {
    expect(await operator.json(...accept('--return-id', rtrId(1), ...more))).toMatchObject({ returned: back });
    tested.takesBack(1, 1, amount);
    tested.claims(1, 1, { status: 'ACCEPTED' });
    await tested.readHour();
    await tested.callsBack(1, 1);
    await tested.readHour();
    expect(returned()).toHaveLength(1);
    expect(tested.disputes()).toHaveLength(1);
    expect(tested.world.items('FOREIGN_RETURN')).toEqual([]);
    expect(await tested.difference()).toBe(0);
  });

  it('is not ACCEPTED by a return that the list booked before for another payment', async () => {
    await tested.paid(2, 5000);
    tested.takesBack(1, 2, 5000);
    await tested.readHour();
    const before = withoutTrail(tested.world.items());
    const { code, err } = await operator.run(...accept('--return-id', rtrId(1), '--amount', '50.00'));
    expect(code).toBe(1);
    expect(err).toMatch(/return/iu);
    expect(withoutTrail(tested.world.items())).toEqual(before);
  });

  it('is ACCEPTED once when the list books the same return at once', async () => {
    tested.takesBack(1, 1, 10_000);
    await Promise.all([operator.run(...accept('--return-id', rtrId(1))), tested.readHour()]);
    await tested.readHour();
    expect(returned()).toHaveLength(1);
    expect(await tested.difference()).toBe(0);
  });

  it('takes over a return that was kept as unsolicited, and the balances are equal', async () => {
    const pix = tested.bank.known.received.get(e2e(1))!;
    const back = { returnId: rtrId(1), amount: centavos(10_000), at: tested.world.clock.now };
    tested.bank.known.received.set(e2e(1), { ...pix, returns: [back] });
    tested.bank.known.balance -= 10_000;
    await tested.readHour();
    expect(tested.world.items('FOREIGN_RETURN')).toHaveLength(1);
    await operator.json(...accept('--return-id', rtrId(1)));
    await tested.readHour();
    expect(await tested.difference()).toBe(0);
  });

  it('can be defended once the list has its claim, and its defence is listed after an hour without an end', async () => {
    const { bank, deps, dueRun, store, clock } = tested.world;
    expect((await tested.calls.defend(disputeId, 'k')).status).toBe(409);
    tested.claims(1, 1);
    await tested.readClaims();
    const silent = () => Promise.resolve({ outcome: 'UNKNOWN' } as const);
    bank.defences.submit = silent;
    bank.defences.find = silent;
    const since = clock.now;
    const made = await tested.calls.defend(disputeId, 'k');
    expect(made.status, made.text).toBe(201);
    const { defenceId: reference } = made.body as { readonly defenceId: string };
    const list = () => showUnanswered({ store, now: () => clock.now });
    const jobs = () => runCounted({ ...deps, ...dueRun, bank: { ...bank, ...deps.bank } }, [['DISPUTE_DEFENCE']]);
    const open = async (connection: string | undefined) => openAt(store, companyOne, connection);
    expect(await open(connectionId)).toContainEqual({ kind: 'DEFENCE', count: 1 });
    expect(await open(undefined)).not.toContainEqual(expect.objectContaining({ kind: 'DEFENCE' }));
    for (let run = 0; run < 19; run += 1) {
      tested.passes(180);
      await jobs();
    }
    expect(await list()).toEqual([]);
    tested.passes(180);
    await jobs();
    expect(await list()).toEqual([
      { companyId: companyOne, command: 'DISPUTE_DEFENCE', id: disputeId, reference, since },
    ]);
    bank.defences.find = () => Promise.resolve({ outcome: 'DONE', state: { status: 'SENT' } });
    tested.passes(180);
    await jobs();
    expect(await list()).toEqual([]);
    expect(await open(connectionId)).not.toContainEqual(expect.objectContaining({ kind: 'DEFENCE' }));
  });
});

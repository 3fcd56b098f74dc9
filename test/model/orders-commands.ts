import fc from 'fast-check';
import { expect } from 'vitest';
import type { Answer } from '../support/api.ts';
import type { World } from '../support/bank-world.ts';
import { COMPANY, HOLDER, OTHER_COMPANY, RECEIVER } from '../support/bank-world.ts';

const companies = [COMPANY, OTHER_COMPANY] as const;
/** Two accounts of each company. */
export const ACCOUNTS = companies.flatMap((companyId, index) =>
  ['a', 'b'].map((letter) => ({ companyId, id: `${letter.repeat(8)}-0000-4000-8000-00000000000${index}` })),
);

const statuses = ['PAID', 'ERROR', 'CANCELED', 'EXPIRED', 'REFUNDED'] as const;
const key = fc.nat({ max: 3 });
const account = fc.nat({ max: ACCOUNTS.length - 1 });
const which = fc.nat({ max: 50 });

const status = fc.constantFrom(...statuses);
const sequence = fc.integer({ min: 1, max: 4 });

/** What partners, their testers, the bank and the clock can do. A number picks one of what exists by then. */
type Payout = { do: 'payout'; account: number; key: number; variant: number };
type Move = { do: 'move' | 'move-pay-in'; which: number; status: string };
type MovePayment = { do: 'move-payment'; which: number; sequence: number; status: string };
type PayIn = { do: 'pay-in'; account: number; key: number };
type Refund = { do: 'refund'; which: number; key: number };
type Account = { do: 'account-status'; account: number };
type Time = { do: 'time'; hours: number };
export type Command = Payout | Move | MovePayment | PayIn | Refund | Account | Time;

const variant = fc.nat({ max: 6 });
const payouts = fc.record<Payout>({ do: fc.constant('payout'), account, key, variant });
const moves = (which: fc.Arbitrary<number>) =>
  fc.oneof(
    fc.record<Move>({ do: fc.constant('move'), which, status }),
    fc.record<MovePayment>({ do: fc.constant('move-payment'), which, sequence, status }),
  );
const payIns = fc.record<PayIn>({ do: fc.constant('pay-in'), account, key });
const payInMoves = (which: fc.Arbitrary<number>) =>
  fc.record<Move>({
    do: fc.constant('move-pay-in'),
    which,
    status: fc.constantFrom('PAID', 'PAID', 'REFUNDED', ...statuses),
  });
const refunds = (which: fc.Arbitrary<number>) => fc.record<Refund>({ do: fc.constant('refund'), which, key });
const anything = fc.oneof(
  { weight: 4, arbitrary: payouts },
  { weight: 4, arbitrary: moves(which) },
  { weight: 2, arbitrary: payIns },
  { weight: 3, arbitrary: payInMoves(which) },
  { weight: 1, arbitrary: refunds(which) },
  { weight: 1, arbitrary: fc.record<Account>({ do: fc.constant('account-status'), account }) },
  { weight: 1, arbitrary: fc.record<Time>({ do: fc.constant('time'), hours: fc.integer({ min: 1, max: 30 }) }) },
);

const few = fc.integer({ min: 1, max: 2 });
const ends = fc.constantFrom('PAID', 'ERROR', 'CANCELED');
const several = { minLength: 2, maxLength: 4 };
/** Several who want the same thing of one order, one account or one external id. */
const clash = fc.nat({ max: 5 }).chain((one): fc.Arbitrary<Command[]> => {
  const same = fc.constant(one);
  return fc.oneof(
    fc.array(moves(same), several),
    fc.array(
      fc.record<MovePayment>({ do: fc.constant('move-payment'), which: same, sequence: few, status: ends }),
      several,
    ),
    fc.array(fc.oneof(payInMoves(same), refunds(same)), several),
    fc.array(refunds(same), several),
    fc.array(
      fc.record<Payout>({ do: fc.constant('payout'), account: fc.constant(one % 4), key, variant: same }),
      several,
    ),
  );
});

/** Commands of one round run at the same time, their calls to the table in any order. */
export const anyRounds = fc.array(fc.oneof(fc.array(anything, { minLength: 1, maxLength: 4 }), clash), {
  minLength: 1,
  maxLength: 12,
});

const AMOUNTS = ['10.00', '15000.00', '15000.01', '40000.00', '60000.00', '25.00', '999.99'] as const;

/** What a request was and how it was answered: an equal one must be answered alike. */
export type Sent = { readonly name: string; readonly again: () => Promise<Answer>; readonly answer: Answer };

/** Carries one command out. Gives what was sent if it was a request with a key. */
export async function carryOut(world: World, command: Command): Promise<Sent | undefined> {
  switch (command.do) {
    case 'payout':
      return payout(world, command);
    case 'pay-in':
      return payIn(world, command);
    case 'refund':
      return refund(world, command);
    case 'move':
      return move(world, 'PAYOUT', command, '00');
    case 'move-payment':
      return move(world, 'PAYOUT', command, `0${command.sequence}`);
    case 'move-pay-in':
      return move(world, 'PAY_IN', command, '00');
    case 'account-status':
      return turn(world, ACCOUNTS[command.account]!);
    case 'time':
      world.clock.now = new Date(Date.parse(world.clock.now) + command.hours * 3_600_000).toISOString();
      // A run that the table ends is made good by the next one.
      await Promise.allSettled([world.submitPayouts(), world.expirePayIns()]);
      return undefined;
  }
}

async function payout(world: World, command: Payout): Promise<Sent> {
  const { companyId, id: accountId } = ACCOUNTS[command.account]!;
  const value = AMOUNTS[command.variant]!;
  const ted = command.variant === 5;
  const bankAccount = { ispb: '60701190', accountType: 'CHECKING_ACCOUNT', branchNumber: '1', accountNumber: '2' };
  const keys = ['52998224725', 'refused@bank.example', 'silent@bank.example', 'owner-mismatch@bank.example'];
  const body = {
    externalId: `P-${command.variant}-${command.key % 2}`,
    accountId,
    paymentMethod: ted ? 'TED' : 'PIX',
    paymentData: ted ? { bankAccount } : { pixKey: keys[command.variant % 5 === 4 ? command.key : 0] },
    ...(ted || command.key === 3 ? { receiver: command.variant === 6 ? HOLDER : RECEIVER } : {}),
    amount: { currency: 'BRL', value },
    description: 'Supplier',
  };
  const again = () => world.createPayout({ companyId, key: `k-${command.key}`, body });
  return { name: `payout ${companyId} k-${command.key} ${JSON.stringify(body)}`, again, answer: await again() };
}

async function payIn(world: World, command: PayIn): Promise<Sent> {
  const { companyId, id: accountId } = ACCOUNTS[command.account]!;
  const amount = { currency: 'BRL', value: '5000.00' };
  const body = { externalId: `I-${command.key}`, accountId, amount, description: 'Order', payer: RECEIVER };
  const again = () => world.createPayIn({ companyId, key: `k-${command.key}`, body });
  return { name: `pay-in ${companyId} k-${command.key} ${JSON.stringify(body)}`, again, answer: await again() };
}

async function refund(world: World, command: Refund): Promise<Sent | undefined> {
  const order = pick(world, 'PAY_IN', command.which);
  if (order === undefined) return undefined;
  const { companyId, id } = order;
  const again = () => world.refundPayIn({ companyId, key: `k-${command.key}`, params: { id }, body: {} });
  return { name: `refund ${companyId} k-${command.key} ${id}`, again, answer: await again() };
}

async function move(
  world: World,
  entity: 'PAYOUT' | 'PAY_IN',
  { which: at, status }: { which: number; status: string },
  end: string,
): Promise<undefined> {
  const order = pick(world, entity, at);
  if (order === undefined) return undefined;
  const answer = await world.force(order.id.slice(0, -2) + end, status, order.companyId);
  expect([200, 404, 409, 503], 'an answer of the contract').toContain(answer.status);
  return undefined;
}

async function turn(world: World, { companyId, id }: { companyId: string; id: string }): Promise<undefined> {
  const [from, to] = world.items('ACCOUNT').some((item) => item['id'] === id && item['status'] === 'ACTIVE')
    ? (['ACTIVE', 'INACTIVE'] as const)
    : (['INACTIVE', 'ACTIVE'] as const);
  await world.setAccountStatus(from, to, id, companyId).catch(() => undefined);
  return undefined;
}

function pick(world: World, entity: string, at: number): { companyId: string; id: string } | undefined {
  const orders = world.items(entity);
  const item = orders[at % Math.max(1, orders.length)];
  return item && { companyId: item.PK.slice(2, 38), id: item['id'] as string };
}

/** Orders to begin with in each company: batches of two and three payments, and pay-ins that are paid. */
export async function prepare(world: World): Promise<void> {
  for (const [index, { companyId, id }] of ACCOUNTS.entries()) {
    await world.openAccount(100_000_00, { companyId, id });
    const key = `before-${index}`;
    const common = { externalId: key, accountId: id };
    const value = index % 2 === 0 ? '15000.01' : '40000.00';
    const payout = { paymentMethod: 'PIX', paymentData: { pixKey: '52998224725' }, description: 'Supplier' };
    await world.createPayout({ companyId, key, body: { ...common, ...payout, amount: { currency: 'BRL', value } } });
    const payIn = { amount: { currency: 'BRL', value: '5000.00' }, description: 'Order', payer: RECEIVER };
    const created = await world.createPayIn({ companyId, key, body: { ...common, ...payIn } });
    await world.force((created.body as { id: string }).id, 'PAID', companyId);
  }
}

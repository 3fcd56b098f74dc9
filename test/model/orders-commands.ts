import { expect } from 'vitest';
import { fc } from '../support/properties.ts';
import type { Answer } from '../support/api.ts';
import type { World } from '../support/bank-world.ts';
import { companyOne, holder, otherCompany, receiver } from '../support/bank-world.ts';
import type { rememberingPayouts } from '../support/remembering-bank.ts';

/** The service in front of a bank that remembers what it was given. */
export type ModelWorld = World & { readonly remembering: ReturnType<typeof rememberingPayouts> };

const companies = [companyOne, otherCompany] as const;
/** Two accounts of each company. */
const accounts = companies.flatMap((companyId, index) =>
  ['a', 'b'].map((letter) => ({ companyId, id: `${letter.repeat(8)}-0000-4000-8000-00000000000${index}` })),
);

const statuses = ['PAID', 'ERROR', 'CANCELED', 'EXPIRED', 'REFUNDED'] as const;
const key = fc.nat({ max: 3 });
const account = fc.nat({ max: accounts.length - 1 });
const which = fc.nat({ max: 50 });

const status = fc.constantFrom(...statuses);
const sequence = fc.integer({ min: 1, max: 4 });

/** What partners, their testers, the bank and the clock can do. A number picks one of what exists by then. */
type Payout = { do: 'payout'; account: number; key: number; variant: number };
type Move = { do: 'move' | 'move-pay-in'; which: number; status: string };
type MovePayment = { do: 'move-payment'; which: number; sequence: number; status: string };
type PayIn = { do: 'pay-in'; account: number; key: number };
type Refund = { do: 'refund'; which: number; key: number; part: number };
/** The tool settles one refund of a pay-in. */
type MoveRefund = { do: 'move-refund'; which: number };
type Account = { do: 'account-status'; account: number };
type Time = { do: 'time'; hours: number };
/** The bank has settled a payment that it accepted, and sent no event: a look-up finds it. */
type Settle = { do: 'settle'; which: number; end: number };
type Command = Payout | Move | MovePayment | PayIn | Refund | MoveRefund | Account | Time | Settle;

const variant = fc.nat({ max: 8 });
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
/** What is asked back of a pay-in: all that is left, or a part of it. */
const parts = [undefined, '4999.99', '0.01', '2500.00'] as const;
const part = fc.nat({ max: parts.length - 1 });
const refunds = (which: fc.Arbitrary<number>) => fc.record<Refund>({ do: fc.constant('refund'), which, key, part });
const refundMoves = (which: fc.Arbitrary<number>) => fc.record<MoveRefund>({ do: fc.constant('move-refund'), which });
const anything = fc.oneof(
  { weight: 4, arbitrary: payouts },
  { weight: 4, arbitrary: moves(which) },
  { weight: 2, arbitrary: payIns },
  { weight: 3, arbitrary: payInMoves(which) },
  { weight: 2, arbitrary: refunds(which) },
  { weight: 1, arbitrary: refundMoves(which) },
  { weight: 1, arbitrary: fc.record<Settle>({ do: fc.constant('settle'), which, end: fc.nat({ max: 2 }) }) },
  { weight: 1, arbitrary: fc.record<Account>({ do: fc.constant('account-status'), account }) },
  { weight: 1, arbitrary: fc.record<Time>({ do: fc.constant('time'), hours: fc.integer({ min: 1, max: 30 }) }) },
);

const few = fc.integer({ min: 1, max: 2 });
const ends = fc.constantFrom('PAID', 'ERROR', 'CANCELED');
const several = { minLength: 2, maxLength: 4 };
/** Several who want the same thing of one order, one account or one external id. */
const clash = fc.nat({ max: 11 }).chain((one): fc.Arbitrary<Command[]> => {
  const same = fc.constant(one);
  return fc.oneof(
    fc.array(moves(same), several),
    fc.array(
      fc.record<MovePayment>({ do: fc.constant('move-payment'), which: same, sequence: few, status: ends }),
      several,
    ),
    fc.array(fc.oneof(payInMoves(same), refunds(same), refundMoves(which)), several),
    fc.array(refunds(same), several),
    fc.array(
      fc.record<Payout>({ do: fc.constant('payout'), account: fc.constant(one % 4), key, variant: same }),
      several,
    ),
    // A payout that pays a charge of the company, and whatever else becomes of that charge at the same time.
    fc.array(fc.oneof(moves(same), payInMoves(which)), several),
    fc.array(
      fc.oneof(fc.record<Time>({ do: fc.constant('time'), hours: fc.integer({ min: 1, max: 3 }) }), moves(same)),
      several,
    ),
  );
});

/** Commands of one round run at the same time, their calls to the table in any order. */
export const anyRounds = fc.array(fc.oneof(fc.array(anything, { minLength: 1, maxLength: 4 }), clash), {
  minLength: 1,
  maxLength: 12,
});

/** The amount of half of the pay-ins: a payout of such a charge is split. */
const splitAmount = '20000.00';
const amounts = [
  ...['10.00', '15000.00', '15000.01', '40000.00', '60000.00', '25.00', '999.99'],
  /** To another account of the company: by its id, and by the QR code of a charge. */
  ...['40000.00', splitAmount],
] as const;

/** What a request was and how it was answered: an equal one must be answered alike. */
export type Sent = { readonly name: string; readonly again: () => Promise<Answer>; readonly response: Answer };

/** Carries one command out. Gives what was sent if it was a request with a key. */
export async function carryOut(world: ModelWorld, command: Command): Promise<Sent | undefined> {
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
    case 'move-refund':
      return moveRefund(world, command);
    case 'move-pay-in':
      return move(world, 'PAY_IN', command, '00');
    case 'settle':
      settle(world, command);
      return undefined;
    case 'account-status':
      return turn(world, accounts[command.account]!);
    case 'time':
      world.clock.now = new Date(Date.parse(world.clock.now) + command.hours * 3_600_000).toISOString();
      // A run that the table ends is made good by the next one.
      await Promise.allSettled([world.submitPayouts(), world.expirePayIns()]);
      return undefined;
  }
}

async function payout(world: World, command: Payout): Promise<Sent> {
  const { companyId, id: accountId } = accounts[command.account]!;
  const value = amounts[command.variant]!;
  const ted = command.variant === 5;
  const bankAccount = { ispb: '60701190', accountType: 'CHECKING_ACCOUNT', branchNumber: '1', accountNumber: '2' };
  const keys = ['52998224725', 'refused@bank.example', 'silent@bank.example', 'owner-mismatch@bank.example'];
  const sibling = siblingOf(companyId, accountId);
  const code = command.variant === 8 ? chargeInto(world, sibling, command.key) : undefined;
  const pixKey = command.variant === 7 ? sibling : keys[command.variant % 5 === 4 ? command.key : 0];
  const paymentData = ted ? { bankAccount } : code === undefined ? { pixKey } : { qrcodeData: code };
  const body = {
    externalId: `P-${command.variant}-${command.key % 2}`,
    accountId,
    paymentMethod: ted ? 'TED' : 'PIX',
    paymentData,
    ...(ted || (command.key === 3 && command.variant < 7)
      ? { receiver: command.variant === 6 ? holder : receiver }
      : {}),
    amount: { currency: 'BRL', value },
    description: 'Supplier',
  };
  const again = () => world.createPayout({ companyId, key: `k-${command.key}`, body });
  return { name: `payout ${companyId} k-${command.key} ${JSON.stringify(body)}`, again, response: await again() };
}

/** The QR code of a charge of that amount into the account, if there is one: pending, or no longer. */
function chargeInto(world: World, accountId: string, at: number): string | undefined {
  const charges = world
    .items('PAY_IN')
    .filter((item) => item['accountId'] === accountId && item['amount'] === Number(splitAmount) * 100);
  return charges[at % Math.max(1, charges.length)]?.['qrcodeData'] as string | undefined;
}

/** Settles a payment that the bank has, without an event. */
function settle(
  { remembering: { made: carriedOut, state, settle: settleAtBank }, clock }: ModelWorld,
  { which: at, end }: Settle,
): void {
  const open = carriedOut.filter(({ reference }) => state(reference)?.outcome === 'DONE');
  const instruction = open[at % Math.max(1, open.length)];
  if (instruction === undefined) return;
  const { reference, endToEndId, controlNumber = 'STR20260115000000000' } = instruction;
  const number = endToEndId === undefined ? { controlNumber } : { endToEndId };
  const ends = [
    { status: 'PAID', returns: [], at: clock.now, ...number },
    { status: 'ERROR', returns: [], code: 'AC07', reason: 'The account is closed.' },
    { status: 'CANCELED', returns: [] },
  ] as const;
  const now = state(reference);
  if (now?.outcome === 'DONE' && now.state.status === 'ACCEPTED') settleAtBank(reference, ends[end] ?? ends[0]);
}

async function payIn(world: World, command: PayIn): Promise<Sent> {
  const { companyId, id: accountId } = accounts[command.account]!;
  const amount = { currency: 'BRL', value: command.key % 2 === 0 ? '5000.00' : splitAmount };
  const body = { externalId: `I-${command.key}`, accountId, amount, description: 'Order', payer: receiver };
  const again = () => world.createPayIn({ companyId, key: `k-${command.key}`, body });
  return { name: `pay-in ${companyId} k-${command.key} ${JSON.stringify(body)}`, again, response: await again() };
}

async function refund(world: World, command: Refund): Promise<Sent | undefined> {
  const order = pick(world, 'PAY_IN', command.which);
  if (order === undefined) return undefined;
  const { companyId, id } = order;
  const value = parts[command.part];
  const body = value === undefined ? {} : { amount: { currency: 'BRL', value } };
  const again = () => world.refundPayIn({ companyId, key: `k-${command.key}`, params: { id }, body });
  return { name: `refund ${companyId} k-${command.key} ${id} ${value ?? ''}`, again, response: await again() };
}

async function moveRefund(world: World, { which: at }: MoveRefund): Promise<undefined> {
  const refund = pick(world, 'REFUND', at);
  if (refund === undefined) return undefined;
  const response = await world.force(refund.id, 'REFUNDED', refund.companyId);
  // The tool knows no refund that a bank made: it has ended when it is heard of.
  expect([200, 404, 409, 503], 'a response of the contract').toContain(response.status);
  return undefined;
}

async function move(
  world: World,
  entity: 'PAYOUT' | 'PAY_IN',
  { which: at, status }: { which: number; status: string },
  end: string,
): Promise<undefined> {
  const order = pick(world, entity, at);
  if (order === undefined) return undefined;
  const response = await world.force(order.id.slice(0, -2) + end, status, order.companyId);
  expect([200, 404, 409, 503], 'a response of the contract').toContain(response.status);
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

/**
 * Orders to begin with in each company: batches of two and three payments, pay-ins that are paid, and payouts to the
 * company's other account, by its id and of a charge.
 */
export async function prepare(world: World): Promise<void> {
  for (const { companyId, id } of accounts) await world.openAccount(100_000_00, { companyId, id });
  for (const [index, { companyId, id: accountId }] of accounts.entries()) {
    const key = `before-${index}`;
    const amount = (value: string) => ({ amount: { currency: 'BRL', value } });
    const common = (more: string) => ({ externalId: `${key}${more}`, accountId, description: 'Supplier' });
    const pay = (more: string, value: string, paymentData: object) =>
      world.createPayout({
        companyId,
        key: key + more,
        body: { ...common(more), paymentMethod: 'PIX', paymentData, ...amount(value) },
      });
    const request = (more: string, into: string, value: string) =>
      world.createPayIn({
        companyId,
        key: key + more,
        body: { ...common(more), accountId: into, ...amount(value), payer: receiver },
      });
    await pay('', index % 2 === 0 ? '15000.01' : '40000.00', { pixKey: '52998224725' });
    const created = await request('', accountId, '5000.00');
    await world.force((created.body as { id: string }).id, 'PAID', companyId);
    const sibling = siblingOf(companyId, accountId);
    await pay('-internal', '30.00', { pixKey: sibling });
    const charge = await request('-charge', sibling, splitAmount);
    await pay('-of-charge', splitAmount, { qrcodeData: (charge.body as { qrcodeData: string }).qrcodeData });
  }
}

/** The other account of the company. */
function siblingOf(companyId: string, accountId: string): string {
  return accounts.find((one) => one.companyId === companyId && one.id !== accountId)!.id;
}

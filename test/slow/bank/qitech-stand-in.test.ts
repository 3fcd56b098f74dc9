import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { submitOnce } from '#shared/bank/bank.ts';
import { capabilities } from '#shared/bank/dialects/qitech/capabilities.ts';
import { lookUp } from '#shared/bank/dialects/qitech/directory.ts';
import { qitechPayouts } from '#shared/bank/dialects/qitech/payouts.ts';
import { qitechReader } from '#shared/bank/dialects/qitech/reader.ts';
import type { CommandOutcome } from '#shared/bank/outcome.ts';
import type { PaymentOrder, PaymentState } from '#shared/bank/ports/payouts.ts';
import { checkedPayouts } from '#shared/bank/ports/payouts.ts';
import { centavos } from '#shared/core/money.ts';
import { account, context, payer } from '#test/bank/bank-orders.ts';
import { accountId } from '#test/bank/scripted-bank.ts';
import { useStandIn } from './qitech-stand-in.ts';

/*
 * The dialect and the stand-in of the bank were written apart, from the bank's pages alone: here they meet. What the
 * pages leave open is a setting of the stand-in, and no value of it may lose or double a payment.
 */

const used = useStandIn();
const { control } = used;

const inTime = () => ({ ...context, signal: AbortSignal.timeout(10_000) });
const payouts = () => checkedPayouts(qitechPayouts(used.connected));
const key = { type: 'EMAIL', key: 'maria@example.com' } as const;
const theirBank = { ispb: '60746948', branch: '0452', account: '370158-1', accountType: 'CHECKING_ACCOUNT' };

/** Orders of the three kinds, each with a reference of its own; one by key has the end-to-end id of its look-up. */
async function orders(): Promise<Readonly<Record<'payout' | 'accountPayout' | 'ted', PaymentOrder>>> {
  const common = { amount: centavos(12_345), payer: account, description: 'Aluguel' };
  const owner = await lookUp(used.connected, { key, accountId, receiver: payer.document }, inTime());
  if (owner === undefined) throw new Error('The bank found no owner.');
  expect(owner).toMatchObject({ name: 'Maria Souza', isReceiver: true });
  const manual = {
    ...common,
    reference: randomUUID(),
    initiation: 'MANUAL',
    receiver: { ...payer, bank: theirBank },
  } as const;
  return {
    payout: {
      ...{ ...common, reference: randomUUID(), initiation: 'KEY', receiver: { ...payer, pix: key } },
      ...(owner.endToEndId !== undefined && { endToEndId: owner.endToEndId }),
    },
    accountPayout: manual,
    ted: { ...manual, reference: randomUUID(), controlNumber: 'STR20260115000000001' },
  };
}

type Kind = 'payout' | 'accountPayout' | 'ted';
const kinds = [
  ['Pix by key', 'payout'],
  ['Pix to an account', 'accountPayout'],
  ['TED', 'ted'],
] as const;

/** Submits as the worker does: first, then again until the outcome is known, at most five times. */
async function submitUntilKnown(kind: Kind, order: PaymentOrder): Promise<CommandOutcome<PaymentState>> {
  const again = { repetition: capabilities.repetition[kind], mayRepeat: () => Promise.resolve(false) };
  let outcome = await submitOnce(payouts().send, order, context, { again: false, whenUnknown: 'LEAVE' });
  for (let tries = 0; tries < 5 && outcome.outcome === 'UNKNOWN'; tries += 1)
    outcome = await submitOnce(payouts().send, order, context, { again, whenUnknown: 'LEAVE' });
  return outcome;
}

type Shown = { readonly request_control_key: string };
/** How often the bank carried an order out, by its own books. */
async function paidTimes({ reference }: PaymentOrder): Promise<number> {
  const state = (await control('state')) as Readonly<Record<string, readonly Shown[] | undefined>>;
  const all = Object.values(state).filter(Array.isArray).flat() as readonly Shown[];
  return all.filter(({ request_control_key: own }) => own === reference).length;
}

const settle = (kind: Kind, { reference }: PaymentOrder, status: 'sent' | 'rejected') =>
  control(kind === 'ted' ? 'settle-ted' : 'settle-pix', { request_control_key: reference, status });

const stateOf = (outcome: CommandOutcome<PaymentState> | { readonly outcome: 'NEVER_SEEN' }) =>
  outcome.outcome === 'DONE' ? outcome.state.status : outcome.outcome;

describe.each([
  {},
  { signedUri: 'AS_SENT', emptyPayload: 'BRACES' },
  { pixAnswer: 'SENT', tedAnswer: 'SENT' },
  { listStatus: 200, rejectionReason: 'TEXT' },
  { repeatedKey: 'FIRST_ANSWER' },
  { repeatedKey: 'PAID_AGAIN' },
] as const)('at a bank with the settings %j', (settings) => {
  beforeEach(() => control('settings', settings));

  test.each(kinds)('a %s is carried out once and becomes PAID', async (_name, kind) => {
    const order = (await orders())[kind];
    const first = await submitUntilKnown(kind, order);
    if (stateOf(first) === 'ACCEPTED') await settle(kind, order, 'sent');
    expect(stateOf(await payouts().send.find(order, context))).toBe('PAID');
    expect(await paidTimes(order)).toBe(1);
  });

  test.each(
    kinds.flatMap(([name, kind]) =>
      (['LOSE_ANSWER', 'ERROR_AFTER', 'GARBLE', 'OTHER_THING'] as const).map((fault) => [name, fault, kind] as const),
    ),
  )('a %s is carried out once when its answer is lost by %s', async (_name, fault, kind) => {
    const order = (await orders())[kind];
    await control('fault', { fault, method: 'POST', times: 1 });
    const outcome = await submitUntilKnown(kind, order);
    expect(['ACCEPTED', 'PAID']).toContain(stateOf(outcome));
    expect(await paidTimes(order)).toBe(1);
  });

  test.each(kinds)('a %s that the bank never got is sent once, or waits for a person', async (_name, kind) => {
    const order = (await orders())[kind];
    await control('fault', { fault: 'LOSE_REQUEST', method: 'POST', times: 1 });
    const outcome = await submitUntilKnown(kind, order);
    const isRepeated = capabilities.repetition[kind] === 'REFUSED';
    expect(['ACCEPTED', 'PAID', 'UNKNOWN']).toContain(stateOf(outcome));
    expect(await paidTimes(order)).toBe(isRepeated ? 1 : 0);
    expect(stateOf(outcome) === 'UNKNOWN').toBe(!isRepeated);
  });

  test.each(kinds)('a %s that the bank rejects is ERROR', async (_name, kind) => {
    const order = (await orders())[kind];
    const first = await submitUntilKnown(kind, order);
    if (stateOf(first) !== 'ACCEPTED') return;
    await settle(kind, order, 'rejected');
    expect(stateOf(await payouts().send.find(order, context))).toBe('ERROR');
  });
});

test.each(['rejected', 'returned', 'sent'] as const)(
  'a TED that comes back after it was sent is never PAID again, where the bank says %s of it',
  async (tedCameBackAs) => {
    await control('settings', { tedCameBackAs });
    const { ted: order } = await orders();
    await submitUntilKnown('ted', order);
    await settle('ted', order, 'sent');
    expect(stateOf(await payouts().send.find(order, context))).toBe('PAID');
    await settle('ted', order, 'rejected');
    const after = stateOf(await payouts().send.find(order, context));
    expect(['ERROR', 'UNKNOWN']).toContain(after);
  },
);

test('a payment above the balance is refused, and the same order is not carried out later', async () => {
  const { payout, ted } = await orders();
  for (const [kind, order] of [
    ['payout', payout],
    ['ted', ted],
  ] as const) {
    const large = { ...order, amount: centavos(99_999_999_99) };
    expect(['REFUSED', 'ERROR']).toContain(stateOf(await submitUntilKnown(kind, large)));
    expect(await paidTimes(large)).toBeLessThanOrEqual(1);
  }
});

test('another owner of a key is named as another, and an unknown key as unknown, however the bank says it', async () => {
  const ask = (asked: string) =>
    lookUp(used.connected, { key: { type: 'EMAIL', key: asked }, accountId, receiver: payer.document }, inTime());
  await control('key', { pix_key: 'joao@example.com', owner_document_number: '11144477735' });
  expect(await ask('joao@example.com')).toMatchObject({ isReceiver: false });
  await control('key', { pix_key: 'ninguem@example.com', state: 'UNKNOWN' });
  expect(await ask('ninguem@example.com')).toBeUndefined();
  for (const unknownKey of ['UNPROCESSABLE', 'ABSENT']) {
    await control('settings', { unknownKey });
    await expect(ask('ninguem@example.com')).rejects.toThrow();
  }
});

test('what was received and sent is listed, and the balance is that of the bank', async () => {
  const reader = qitechReader(used.connected);
  const before = await reader.balance();
  const [received] = (await control('pay', { amount: 777 })) as readonly { readonly end_to_end_id: string }[];
  expect(await reader.balance()).toBe(before + 777);
  const day = 86_400_000;
  const [from, to] = [-day, day].map((ms) => new Date(Date.now() + ms).toISOString());
  const { items, unreadable } = await reader.listReceived(from ?? '', to ?? '', 0);
  expect(unreadable).toBe(0);
  expect(items.find(({ endToEndId }) => endToEndId === received?.end_to_end_id)).toMatchObject({
    amount: 777,
    accountId,
  });
  const { accountPayout: order } = await orders();
  await submitUntilKnown('accountPayout', order);
  await settle('accountPayout', order, 'sent');
  const sent = await reader.listSent(from ?? '', to ?? '', 0);
  expect(sent.items.find(({ reference }) => reference === order.reference.replaceAll('-', ''))?.state.status).toBe(
    'PAID',
  );
});

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';
import { workCallbacks } from '#shared/bank-events/work-callbacks.ts';
import { UnknownBankValue } from '#shared/bank/outcome.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { receivesPerDispatch } from '#shared/webhooks/deliveries/states.ts';
import { companyOne, payInBody, payoutBody } from '../support/bank-world.ts';
import { attemptDay } from '../support/bank-attempts.ts';
import { collectLines } from '../support/logged.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentBody, paymentWorld } from '../support/payment-world.ts';
import { subscriptionBody } from '../support/subscription-world.ts';
import { connect, e2e } from './bank-events-world.ts';
import { connectionId } from '../support/connected-items.ts';

let world: PaymentWorld;
let bank: Awaited<ReturnType<typeof connect>>;
let lines: ReturnType<typeof collectLines>;
beforeEach(async () => {
  lines = collectLines();
  world = await paymentWorld();
  world.setCapabilities({ isPolled: true });
  world.bank.recurringCharges.prepare = () => Promise.resolve({});
  bank = await connect(world);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const txidOf = (id: string): string => id.replaceAll('-', '');
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const entries = () => world.items('LEDGER_ENTRY').map(({ kind }) => kind);
const payIn = async (): Promise<string> => {
  const { status, body, text } = await world.createPayIn({
    companyId: companyOne,
    body: payInBody(),
    key: crypto.randomUUID(),
  });
  expect(status, text).toBe(201);
  return (body as { id: string }).id;
};
const payInStatus = async (id: string): Promise<unknown> =>
  ((await world.getPayIn({ companyId: companyOne, params: { id } })).body as { status: unknown }).status;
const refund = async (id: string): Promise<string> => {
  world.bank.refunds.submit = () => Promise.resolve({ outcome: 'DONE', state: { status: 'PENDING' } });
  const { status, text } = await world.refundPayIn({ companyId: companyOne, params: { id }, body: {}, key: 'r' });
  expect(status, text).toBe(201);
  return textOf(world.items('REFUND')[0]?.['id']);
};

describe('the callback messages of one receive', () => {
  const message = (events: BankEvent | readonly BankEvent[], companyId = companyOne) => ({
    messageId: crypto.randomUUID(),
    body: JSON.stringify({ companyId, connectionId, events }),
    receives: 1,
    sentMs: Date.now() - 2000,
  });
  const hidden: [string, number][] = [];
  const work = (messages: Parameters<typeof workCallbacks>[0]) =>
    workCallbacks(messages, {
      ...bank.events,
      hide: async ({ messageId }, seconds) => {
        // A call over the network: a call without an await is not done when the worker ends.
        await new Promise(setImmediate);
        hidden.push([messageId, seconds]);
      },
    });
  beforeEach(() => {
    hidden.length = 0;
  });

  test('are applied once, and a malformed message is dropped', async () => {
    const id = await payIn();
    const event = bank.pays(1, txidOf(id), 2500);
    const broken = { messageId: 'm', body: '{"companyId":', receives: 1, sentMs: 0 };
    expect(await work([message(event), message(event), broken])).toEqual([]);
    expect(bank.known.calls).toBe(1);
    expect(await payInStatus(id)).toBe('PAID');
  });

  test('stay in the queue while the bank does not answer', async () => {
    const id = await payIn();
    const messages = [message(bank.pays(1, txidOf(id), 2500)), message(bank.pays(2, undefined, 100))];
    bank.known.isSilent = true;
    expect(await work(messages)).toEqual(messages.map(({ messageId }) => messageId));
    bank.known.isSilent = false;
    expect(await work(messages)).toEqual([]);
    expect(await payInStatus(id)).toBe('PAID');
  });

  test('leave the queue, and their other events are applied, when the bank has a value that the service does not know', async () => {
    const id = await payIn();
    const all = message([bank.pays(2, undefined, 100), bank.pays(1, txidOf(id), 2500)]);
    const known = bank.known.received;
    const get = known.get.bind(known);
    vi.spyOn(known, 'get').mockImplementation((endToEndId) => {
      if (endToEndId === e2e(2)) throw new UnknownBankValue('The bank response has an unknown devolucao.status.');
      return get(endToEndId);
    });
    expect(await work([all])).toEqual([]);
    expect(await payInStatus(id)).toBe('PAID');
    expect([metrics('JobsFailed'), metrics('CallbackIdsUnread'), metrics('CallbackIdsUnknown')]).toEqual([0, 0, 0]);
    expect(entries()).toHaveLength(1);
  });

  test('with the same event all stay in the queue while the bank does not answer, and all are counted as failed', async () => {
    const event = bank.pays(1, txidOf(await payIn()), 2500);
    const both = [message(event), message(event)];
    bank.known.isSilent = true;
    expect(await work(both)).toEqual(both.map(({ messageId }) => messageId));
    expect(metrics('JobsFailed')).toBe(2);
  });

  test('with the same event all come again while the bank does not have it, each after the delay of its receive count', async () => {
    const event = bank.pays(1, txidOf(await payIn()), 2500);
    bank.known.received.clear();
    const [first, second] = [message(event), { ...message(event), receives: 2 }];
    expect(await work([first, second])).toEqual([first.messageId, second.messageId]);
    expect(hidden.toSorted(([, one], [, other]) => one - other)).toEqual([
      [first.messageId, 5],
      [second.messageId, 20],
    ]);
  });

  test('with many ids stay in the queue when the bank does not answer about the last id', async () => {
    const unknown = Array.from({ length: 10 }, (_, at): BankEvent => ({ kind: 'PIX', endToEndId: e2e(10 + at) }));
    const id = await payIn();
    const all = message([...unknown, bank.pays(1, txidOf(id), 2500)]);
    const known = bank.known.received;
    const get = known.get.bind(known);
    const failing = vi.spyOn(known, 'get').mockImplementation((endToEndId) => {
      if (endToEndId === e2e(1)) throw new Error('The bank does not answer.');
      return get(endToEndId);
    });
    expect(await work([all])).toEqual([all.messageId]);
    failing.mockRestore();
    expect(await work([all])).toEqual([]);
    expect(await payInStatus(id)).toBe('PAID');
  });

  test('with ids of another company change no order and call no bank when their own company has no connection', async () => {
    const id = await payIn();
    const other = '22222222-2222-4222-8222-222222222222';
    expect(await work([message(bank.pays(1, txidOf(id), 2500), other)])).toEqual([]);
    expect(bank.known.calls).toBe(0);
    expect(await payInStatus(id)).toBe('PENDING');
  });

  const metrics = (name: string): number => lines.reduce((total, line) => total + Number(line[name] ?? 0), 0);

  const measured = () => lines.flatMap((line) => (line['BankEventLatency'] ?? []) as number[]);

  test('about an order of the company come again until its bank has it', async () => {
    const id = await payIn();
    const event = bank.pays(1, txidOf(id), 2500);
    const known = bank.known.received.get(e2e(1))!;
    bank.known.received.clear();
    const early = message(event);
    expect(await work([early])).toEqual([early.messageId]);
    expect(await work([{ ...early, receives: 2 }])).toEqual([early.messageId]);
    expect(hidden).toEqual([
      [early.messageId, 5],
      [early.messageId, 20],
    ]);
    bank.known.received.set(e2e(1), known);
    expect(await work([{ ...early, receives: 3 }])).toEqual([]);
    expect(await payInStatus(id)).toBe('PAID');
  });

  test('are left to the lists and counted after the last receive, and none becomes a dead letter', async () => {
    const event = bank.pays(1, txidOf(await payIn()), 2500);
    bank.known.received.clear();
    const early = message(event);
    for (let receives = 1; receives < receivesPerDispatch; receives += 1)
      expect(await work([{ ...early, receives }])).toEqual([early.messageId]);
    expect(metrics('CallbackIdsUnread')).toBe(0);
    expect(await work([{ ...early, receives: receivesPerDispatch }])).toEqual([]);
    expect(metrics('CallbackIdsUnread')).toBe(1);
    const seconds = hidden.map(([, waited]) => waited);
    expect(seconds).toEqual(seconds.toSorted((one, other) => one - other));
    expect(seconds.reduce((total, one) => total + one, 0)).toBeGreaterThanOrEqual(300);
    expect(seconds.reduce((total, one) => total + one, 0)).toBeLessThanOrEqual(600);
  });

  test('about ids that neither the company nor its bank has are dropped immediately and counted', async () => {
    const unknownId = '0123456789abcdef0123456789abcdef';
    const strangers: readonly BankEvent[] = [
      { kind: 'PIX', endToEndId: e2e(1), txid: unknownId },
      { kind: 'PIX', endToEndId: e2e(2) },
      { kind: 'RETURN', endToEndId: e2e(3), id: 'r1' },
      { kind: 'RECURRENCE', idRec: 'RR9999999920261125abcdefghijk' },
      { kind: 'RECURRING_CHARGE', txid: unknownId },
      { kind: 'PAYOUT', idEnvio: unknownId },
    ];
    expect(await work([message(strangers)])).toEqual([]);
    expect(hidden).toEqual([]);
    expect(metrics('CallbackIdsUnknown')).toBe(6);
    expect(metrics('CallbackIdsUnread')).toBe(0);
  });

  test('a callback is measured once, up to its application, also when the clock of SQS is ahead', async () => {
    const event = bank.pays(1, txidOf(await payIn()), 2500);
    const ahead = { ...message(bank.pays(2, txidOf(await payIn()), 2500)), sentMs: Date.now() + 60_000 };
    expect(await work([message(event), { ...message(event), sentMs: Date.now() - 90_000 }, ahead])).toEqual([]);
    const [waited, ofAhead] = measured();
    expect(waited).toBeGreaterThanOrEqual(90_000);
    expect(ofAhead).toBe(0);
    // The earlier receive waited for the bank, or was counted as failed.
    expect(await work([{ ...message(event), receives: 2 }])).toEqual([]);
    expect(measured()).toHaveLength(2);
  });

  test('a callback is not measured while the bank does not answer or has no such event, or if its id is unknown', async () => {
    const event = bank.pays(1, txidOf(await payIn()), 2500);
    const known = bank.known.received.get(e2e(1))!;
    bank.known.received.clear();
    await work([message(event), message({ kind: 'PIX', endToEndId: e2e(2) })]);
    bank.known.received.set(e2e(1), known);
    bank.known.isSilent = true;
    await work([message(event)]);
    expect(measured()).toEqual([]);
    expect([metrics('JobsFailed'), metrics('BankEventsFailed')]).toEqual([1, 0]);
  });

  test('are counted once as failed by the service when the table does not respond', async () => {
    const first = message(bank.pays(1, txidOf(await payIn()), 2500));
    const store = { ...bank.events.store, write: () => Promise.reject(new StoreUnavailable('None.')) };
    for (const receives of [1, 2])
      expect(
        await workCallbacks([{ ...first, receives }], { ...bank.events, store, hide: () => Promise.resolve() }),
      ).toEqual([first.messageId]);
    expect([metrics('JobsFailed'), metrics('BankEventsFailed')]).toEqual([2, 1]);
  });

  test.each(['payout', 'charge', 'recurrence', 'refund', 'return'] as const)(
    'are received again later when the bank does not have the %s yet',
    async (kind) => {
      const early = message(await ownNews[kind]());
      expect(await work([early])).toEqual([early.messageId]);
      expect(hidden).toEqual([[early.messageId, 5]]);
    },
  );

  test('with several ids come again when the bank does not have one of them yet, and apply the others once', async () => {
    const [id, other] = [await payIn(), await payIn()];
    const events = [bank.pays(1, txidOf(id), 2500), bank.pays(2, txidOf(other), 2500)];
    bank.known.received.delete(e2e(2));
    const both = message(events);
    expect(await work([both])).toEqual([both.messageId]);
    expect(await work([{ ...both, receives: 2 }])).toEqual([both.messageId]);
    expect([await payInStatus(id), await payInStatus(other)]).toEqual(['PAID', 'PENDING']);
    expect(entries().filter((kind) => kind === 'PAY_IN')).toHaveLength(1);
  });

  const ownNews = {
    payout: async (): Promise<BankEvent> => {
      await bank.hear(bank.pays(9, undefined, 100_000));
      const { body } = await world.createPayout({ companyId: companyOne, body: payoutBody(), key: 'k' });
      return { kind: 'PAYOUT', idEnvio: txidOf((body as { id: string }).id) };
    },
    charge: async (): Promise<BankEvent> => {
      const payment = await world.scheduled(paymentBody({ dueDate: attemptDay }));
      return { kind: 'RECURRING_CHARGE', txid: txidOf(payment.id) };
    },
    recurrence: async (): Promise<BankEvent> => {
      const { id } = await world.created(subscriptionBody());
      const subscription = world.items('SUBSCRIPTION').find((one) => one['id'] === id);
      return { kind: 'RECURRENCE', idRec: textOf(subscription?.['providerId']) };
    },
    refund: async (): Promise<BankEvent> => {
      const id = await payIn();
      await bank.hear(bank.pays(1, txidOf(id), 2500));
      return { kind: 'RETURN', endToEndId: e2e(1), id: await refund(id) };
    },
    /** Of the bank itself, which the payment does not show yet. */
    return: async (): Promise<BankEvent> => {
      await bank.hear(bank.pays(1, txidOf(await payIn()), 2500));
      return { kind: 'RETURN', endToEndId: e2e(1), id: 'med1' };
    },
  };
});

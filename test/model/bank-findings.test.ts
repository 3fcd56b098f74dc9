import { describe, expect, it } from 'vitest';
import { reconcile } from '#infra/operator/reconciliation/reconcile.ts';
import { centavos } from '#shared/core/money.ts';
import { allCapabilities } from '#shared/bank/capabilities.ts';
import { expirePayIn } from '#shared/pay-ins/remove.ts';
import { applyChargeState } from '#shared/pay-ins/apply-state.ts';
import type { PaymentUpdate } from '#shared/payouts/apply-state.ts';
import { applyPaymentStates } from '#shared/payouts/apply-state.ts';
import { readPayout } from '#shared/payouts/store.ts';
import { pollPayout } from '#shared/payouts/submit.ts';
import { applyRefundState } from '#shared/refunds/apply-state.ts';
import type { TransitionContext } from '#shared/platform/commit-transition.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { endWaitingSubscription } from '#shared/subscriptions/first-charge.ts';
import { runCounted } from '../support/run-jobs.ts';
import { account, bankWorld, companyOne, payInBody, payoutBody } from '../support/bank-world.ts';

const sibling = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const number = 'E60701190202601151500abcdefghijk';
const back = 'D60701190202601151500abcdefghijk';
const url = 'pix.service.example/qr/v2/cob/0123456789abcdef0123456789abcdef';

async function world() {
  const created = bankWorld();
  created.bank.capabilities = () => Promise.resolve({ ...allCapabilities, isPolled: true });
  created.bank.payouts.prepare = () => Promise.resolve({});
  for (const id of [account, sibling]) await created.openAccount(100_000_00, { id });
  const context = () => ({
    alsoEnds: endWaitingSubscription,
    ...{ store: created.store, ids: created.ids, companyId: companyOne, requestId: created.ids.uuid() },
    ...{ at: created.clock.now, now: () => created.clock.now, realNow: () => created.clock.now },
    ...{ bank: created.bank, remainingMs: () => Infinity },
  });
  const balance = (id: string) => {
    const item = created.items().find(({ PK, SK }) => SK === 'BALANCE' && PK.includes(id));
    return Number(item?.['available']) + Number(item?.['reserved']);
  };
  const later = (seconds: number) => {
    created.clock.now = new Date(Date.parse(created.clock.now) + seconds * 1000).toISOString();
  };
  return { ...created, context, balance, later };
}

const idOf = ({ body }: { readonly body: unknown }) => (body as { readonly id: string }).id;
const done = <State>(state: State) => Promise.resolve({ outcome: 'DONE', state } as const);

/** What the bank tells of a payout. */
async function applyStates(
  store: Store,
  id: string,
  context: TransitionContext,
  updates: readonly PaymentUpdate[],
): Promise<void> {
  const order = await readPayout(store, companyOne, id);
  if (order !== undefined) await applyPaymentStates(context, order, updates);
}

describe('in a case that the model of the bank found,', () => {
  it('a refund of the company’s own Pix is settled when the bank reported the return first', async () => {
    const { context, ...w } = await world();
    const charge = await w.createPayIn({
      companyId: companyOne,
      key: 'a',
      body: payInBody({ accountId: sibling, amount: { currency: 'BRL', value: '25.00' } }),
    });
    const { qrcodeData } = charge.body as { qrcodeData: string };
    const paid = await w.createPayout({
      companyId: companyOne,
      key: 'b',
      body: payoutBody({ paymentData: { qrcodeData }, amount: { currency: 'BRL', value: '25.00' } }),
    });
    const state = { status: 'PAID', at: w.clock.now, endToEndId: number, returns: [] } as const;
    await applyStates(w.store, idOf(paid), context(), [{ state }]);
    w.bank.refunds.submit = () => done({ status: 'PENDING' });
    const refund = await w.refundPayIn({ companyId: companyOne, key: 'c', params: { id: idOf(charge) }, body: {} });
    expect(refund.status).toBe(201);
    const returned = { returnId: back, amount: centavos(2500), at: w.clock.now };
    await applyStates(w.store, idOf(paid), context(), [{ state: { ...state, returns: [returned] } }]);
    const { refundId: id } = refund.body as { refundId: string };
    // The mark of the return is there already: the transaction of the refund conflicts each time.
    await applyRefundState(
      context(),
      { id, orderId: idOf(charge) },
      { status: 'SETTLED', returnId: back, at: w.clock.now },
    );
    expect([w.balance(account), w.balance(sibling)]).toEqual([100_000_00, 100_000_00]);
    w.later(3600);
    const itemsOf = async function* () {
      yield* await Promise.resolve(w.items());
    };
    const known = { itemsOf, now: () => w.clock.now };
    expect(await reconcile(known, { companyId: companyOne }, () => undefined), "the operator's comparison").toEqual([]);
  });

  it('a payout is not given up for a refusal a minute after a try whose process died', async () => {
    const { context: _context, ...w } = await world();
    // The bank looks whether it has the command last, and its reads lag by a minute and a half.
    const tries: string[] = [];
    w.bank.payouts.send.find = () => Promise.resolve({ outcome: 'NEVER_SEEN' });
    w.bank.payouts.send.submit = () => {
      tries.push(w.clock.now);
      if (tries.length === 1) return Promise.resolve({ outcome: 'UNKNOWN' });
      if (tries.length === 2) return done({ status: 'ACCEPTED', returns: [] });
      return Promise.resolve({ outcome: 'REFUSED', code: 'AM04', reason: 'The balance is too low.' });
    };
    const paid = await w.createPayout({ companyId: companyOne, key: 'a', body: payoutBody() });
    w.later(120);
    // The second try is carried out; then the process dies.
    const dying = {
      ...w.store,
      write: () => Promise.reject(new StoreUnavailable('It died.')),
      writeOne: () => Promise.reject(new StoreUnavailable('It died.')),
    };
    const run = { ...w.deps, ...w.dueRun, bank: { ...w.bank, ...w.deps.bank } };
    await runCounted({ ...run, store: dying }, [['PAYOUT_SUBMISSION']]);
    w.later(60);
    await runCounted(run, [['PAYOUT_SUBMISSION']]);
    expect(tries.length).toBeGreaterThan(1);
    expect(w.items('PAYOUT').find((item) => item['id'] === idOf(paid))?.['status']).toBe('PENDING');
  });

  it('a charge that was paid with another amount ends when its time is over', async () => {
    const { context, ...w } = await world();
    const created = await w.createPayIn({ companyId: companyOne, key: 'a', body: payInBody({ expiresInSeconds: 60 }) });
    const payment = { endToEndId: number, amount: centavos(2400), at: w.clock.now, returns: [] };
    const { conciliationId: txid } = created.body as { conciliationId: string };
    w.bank.charges.remove.find = () => done({ txid, location: url, status: 'PAID', payments: [payment] });
    w.later(61);
    await expirePayIn(context(), idOf(created));
    expect(await expirePayIn(context(), idOf(created))).toBe('NOTHING_TO_DO');
  });

  it('money that came back is credited after a crash between the payout and the credit', async () => {
    const { context, ...w } = await world();
    w.bank.payouts.send.submit = () => done({ status: 'ACCEPTED', returns: [] });
    const paid = await w.createPayout({ companyId: companyOne, key: 'a', body: payoutBody() });
    const returned = { returnId: back, amount: centavos(1000), at: w.clock.now };
    w.bank.payouts.send.find = () =>
      done({ status: 'PAID', at: w.clock.now, endToEndId: number, returns: [returned] } as const);
    w.later(120);
    let writes = 0;
    const dying = {
      ...w.store,
      write: (...given: Parameters<typeof w.store.write>) =>
        (writes += 1) > 1 ? Promise.reject(new StoreUnavailable('It died.')) : w.store.write(...given),
    };
    await pollPayout({ ...context(), store: dying }, idOf(paid)).catch(() => undefined);
    // Every question that is due from then on.
    for (let hours = 0; hours < 5; hours += 1) {
      w.later(3600);
      await runCounted({ ...w.deps, ...w.dueRun, bank: { ...w.bank, ...w.deps.bank } }, [
        ['PAYOUT_POLL'],
        ['PAYOUT_SUBMISSION'],
      ]);
    }
    expect(w.balance(account)).toBe(100_000_00);
  });

  it('each payment of a charge is credited after a crash between two of them', async () => {
    const { context, ...w } = await world();
    const created = await w.createPayIn({ companyId: companyOne, key: 'a', body: payInBody({ expiresInSeconds: 60 }) });
    const { conciliationId: txid } = created.body as { conciliationId: string };
    const payments = ['a', 'b'].map((end) => ({
      ...{ endToEndId: number.slice(0, -1) + end, amount: centavos(2500), at: w.clock.now, returns: [] },
    }));
    w.bank.charges.remove.find = () => done({ txid, location: url, status: 'PAID', payments } as const);
    w.later(61);
    let writes = 0;
    const dying = {
      ...w.store,
      write: (...given: Parameters<typeof w.store.write>) =>
        (writes += 1) > 1 ? Promise.reject(new StoreUnavailable('It died.')) : w.store.write(...given),
    };
    await expirePayIn({ ...context(), store: dying }, idOf(created)).catch(() => undefined);
    w.later(60);
    await w.expirePayIns();
    expect(w.balance(account)).toBe(100_050_00);
  });

  it('a pay-in that the bank removed is canceled, also when a payment of another amount came', async () => {
    const { context, ...w } = await world();
    const created = await w.createPayIn({ companyId: companyOne, key: 'a', body: payInBody() });
    const { conciliationId: txid } = created.body as { conciliationId: string };
    const payment = { endToEndId: number, amount: centavos(2400), at: w.clock.now, returns: [] };
    w.bank.charges.remove.find = () => done({ txid, location: url, status: 'REMOVED', payments: [payment] } as const);
    const canceled = await w.cancelPayIn({ companyId: companyOne, key: 'b', params: { id: idOf(created) }, body: {} });
    expect(canceled.status).toBe(200);
    await applyChargeState(context(), idOf(created), { txid, location: url, status: 'REMOVED', payments: [payment] });
  });
});

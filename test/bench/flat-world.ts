import { ListEntries } from '#functions/accounts/list-entries/contract.ts';
import { listEntries } from '#functions/accounts/list-entries/handler.ts';
import { ListAccounts } from '#functions/accounts/list/contract.ts';
import { listAccounts } from '#functions/accounts/list/handler.ts';
import { ListPayIns } from '#functions/pay-ins/list/contract.ts';
import { listPayIns } from '#functions/pay-ins/list/handler.ts';
import { ListPayouts } from '#functions/payouts/list/contract.ts';
import { listPayouts } from '#functions/payouts/list/handler.ts';
import { ListSubscriptions } from '#functions/subscriptions/list/contract.ts';
import { listSubscriptions } from '#functions/subscriptions/list/handler.ts';
import { ListDeliveries } from '#functions/webhooks/list-deliveries/contract.ts';
import { listDeliveries } from '#functions/webhooks/list-deliveries/handler.ts';
import { deliver } from '#shared/webhooks/dispatch/deliver.ts';
import type { DeliverDeps } from '#shared/webhooks/dispatch/record.ts';
import { sweep } from '#shared/webhooks/dispatch/sweep.ts';
import { plusDays, plusSeconds } from '#shared/core/brasilia-time.ts';
import { newWebhookSettings } from '#shared/webhooks/settings.ts';
import { companyItem, registryItem } from '#shared/platform/company.ts';
import { newCursorKey } from '#shared/platform/table/cursor.ts';
import { deliveryInserts } from '#shared/platform/outbox/delivery-items.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { webhookSettingsItem } from '#shared/webhooks/settings-store.ts';
import type { Answer } from '../support/api.ts';
import { caller } from '../support/api.ts';
import { companyOne, payInBody, payoutBody } from '../support/bank-world.ts';
import { circuit } from '../support/circuit.ts';
import { memoryStore } from '../support/memory-store.ts';
import { paymentBody, paymentWorld } from '../support/payment-world.ts';
import { compositeBody } from '../support/subscription-world.ts';
import { putSettings } from './journey-events.ts';

const url = 'https://93.184.216.34/hooks';
const noon = '2026-01-15T15:00:00.000Z';

/** An operation that is measured: what it needs is prepared before, and `run` is given it. */
export type Operation = {
  readonly prepare?: () => Promise<string>;
  readonly run: (prepared: string) => Promise<unknown>;
};
export type FlatWorld = Awaited<ReturnType<typeof flatWorld>>;

/** A company with nothing, as onboarding makes it. */
function companyPuts(companyId: string) {
  const company = { companyId, organizationId: companyId, name: 'Empresa', cursorKey: newCursorKey(), createdAt: noon };
  const settings = newWebhookSettings({ id: companyId, companyId, organizationId: companyId, at: noon });
  return [companyItem(company), registryItem(companyId), webhookSettingsItem(settings)].map((put) => ({ put }));
}

/** One company with an account, a subscription and an endpoint, and every operation whose cost must not grow. */
export async function flatWorld(store: Store) {
  const accountId = crypto.randomUUID();
  const options = { wrap: () => store, known: memoryStore(), seed: crypto.randomUUID(), now: noon, accountId };
  const world = await paymentWorld(options, { frequencyType: 'WEEKLY', webhookUrl: url });
  const fund = crypto.randomUUID();
  await world.openAccount(10_000_000_000, { id: fund });
  await putSettings(store, noon, url);
  const deps: DeliverDeps = {
    ...circuit,
    store,
    now: () => world.clock.now,
    newId: () => crypto.randomUUID(),
    random: () => 0,
    sleep: () => Promise.resolve(),
    send: () => Promise.resolve({ outcome: 'DELIVERED', httpStatus: 200, durationMs: 5 }),
    delays: [60, 300, 900, 1800],
    report: () => undefined,
  };
  const noLetters = { receive: () => Promise.resolve([]), remove: () => Promise.resolve() };
  const asked = (body: object) => ({ companyId: companyOne, body, key: crypto.randomUUID() });
  const made = async (answer: Promise<Answer>): Promise<string> => {
    const { status, body, text } = await answer;
    if (status > 201) throw new Error(`${status} ${text}`);
    return (body as { id?: string }).id ?? '';
  };
  let names = 0;
  const externalId = (): string => `external-${(names += 1)}-00000000`;
  let weeks = 0;
  const nextWeek = (): string => plusDays('2026-01-15', 7 * (weeks += 1));
  const createPayout = () => made(world.createPayout(asked(payoutBody({ accountId: fund, externalId: externalId() }))));
  const createPayIn = () => made(world.createPayIn(asked(payInBody({ accountId: fund, externalId: externalId() }))));
  const schedule = () => made(world.schedule(paymentBody({ dueDate: nextWeek(), externalId: externalId() })));
  const force = (id: string, status: string) => made(world.forceOrder(id, status));
  const deliverTo = (deliveryId: string) =>
    deliver({ companyId: companyOne, deliveryId, dispatch: 1, id: deliveryId, receives: 1 }, deps);
  const newDelivery = async (): Promise<string> => {
    const id = crypto.randomUUID();
    const told = { id, event: 'ORDER-PAYOUT.PAID', resource: { type: 'PAYOUT' as const, id }, requestId: id };
    const body = JSON.stringify({ text: 'x'.repeat(900) });
    const notification = { ...told, createdAt: noon, target: { type: 'PAYOUT' as const }, body };
    await store.write(deliveryInserts(companyOne, notification), crypto.randomUUID());
    return id;
  };
  return {
    ids: { accountId, fund, companyId: companyOne, subscriptionId: world.subscriptionId },
    /** One of each, as it is when all is said and done; the kinds of row 3. */
    samples: {
      orders: async () => {
        await force(await createPayout(), 'PAID');
        await force(await createPayIn(), 'PAID');
      },
      deliveries: async () => deliverTo(await newDelivery()),
      accounts: (id: string) =>
        world.openAccount(1, { id, email: `${id}@example.com`, document: { type: 'PASSPORT', number: 'XD00000000' } }),
      payments: async () => {
        const id = await schedule();
        await world.forced(id, 'ACCEPTED', 'CANCELED_INSUFFICIENT_BALANCE');
      },
      companies: (companyId: string) => store.write(companyPuts(companyId), crypto.randomUUID()),
    },
    /** Nothing is due any more of what the samples began. */
    settle: async (deliveries: readonly string[]) => {
      for (const id of deliveries) await deliverTo(id);
      world.clock.now = plusSeconds(world.clock.now, 3600);
      await world.submitPayouts();
      await world.submitCommands();
      await world.advance();
    },
    operations: operationsOf(),
  };

  function operationsOf(): Readonly<Record<string, Operation>> {
    const me = { companyId: companyOne };
    const list = {
      accounts: caller(ListAccounts, listAccounts, { store }),
      payIns: caller(ListPayIns, listPayIns, { store }),
      payouts: caller(ListPayouts, listPayouts, { store }),
      subscriptions: caller(ListSubscriptions, listSubscriptions, { store }),
      deliveries: caller(ListDeliveries, listDeliveries, { store }),
      entries: caller(ListEntries, listEntries, { store }),
    };
    const by = (
      of: (call: typeof me & { query: Record<string, string> }) => Promise<Answer>,
      query: Record<string, string> = {},
    ) => ({
      run: () => made(of({ ...me, query })),
    });
    const dueRun = { ...world.dueRun, store, now: () => world.clock.now };
    return {
      'Create payout': { run: createPayout },
      'Get payout': { prepare: createPayout, run: (id) => made(world.getPayout({ ...me, params: { id } })) },
      'Force payout to PAID': { prepare: createPayout, run: (id) => force(id, 'PAID') },
      'Create pay-in': { run: createPayIn },
      'Force pay-in to PAID': { prepare: createPayIn, run: (id) => force(id, 'PAID') },
      'Create subscription, journey 3': {
        run: () => made(world.create(asked(compositeBody({ accountId, externalId: externalId() })))),
      },
      'Get subscription': { run: () => made(world.get(world.subscriptionId)) },
      'Schedule a payment': { run: schedule },
      'One attempt of a delivery': { prepare: newDelivery, run: deliverTo },
      'Get balance': { run: () => made(world.getBalance({ ...me, params: { accountId: fund } })) },
      Statement: { run: () => made(list.entries({ ...me, params: { accountId: fund } })) },
      'List accounts': by(list.accounts),
      'List accounts by a status that none has': by(list.accounts, { status: 'CLOSED' }),
      'List accounts by a document that none has': by(list.accounts, { document: '39053344705' }),
      'List accounts by a name that none has': by(list.accounts, { fullName: 'nobody' }),
      'List payouts': by(list.payouts),
      'List payouts by a status that none has': by(list.payouts, { status: 'CANCELED' }),
      'List payouts by an external id that none has': by(list.payouts, { externalId: 'nobody' }),
      'List payouts of an account that has none': by(list.payouts, { accountId }),
      'List pay-ins': by(list.payIns),
      'List pay-ins by a status that none has': by(list.payIns, { status: 'REFUNDED' }),
      'List subscriptions': by(list.subscriptions),
      'List deliveries': by(list.deliveries),
      'List deliveries by a status that none has': by(list.deliveries, { status: 'FAILED' }),
      'List deliveries by an event that none has': by(list.deliveries, { event: 'ORDER-PAYIN.CANCELED' }),
      'List scheduled payments': { run: () => made(world.list()) },
      'Minute without due pay-ins': { run: () => world.expirePayIns() },
      'Sweep of deliveries, nothing due': {
        run: () => sweep({ ...deps, ...dueRun, deadLetters: noLetters, graceSeconds: 5 }, { redriving: false }),
      },
    };
  }
}

import { routes } from '#functions/routes.ts';
import type { Contract, Operation } from '#shared/contract/contract.ts';
import { newWebhookSettings } from '#shared/webhooks/settings.ts';
import { webhookSecretItem, webhookSettingsItem } from '#shared/webhooks/settings-store.ts';
import type { Answer } from '#test/support/api.ts';
import { caller } from '#test/support/api.ts';
import { account, companyOne } from '#test/support/bank-world.ts';
import { paymentBody, paymentWorld } from '#test/support/payment-world.ts';

export type Body = Readonly<Record<string, unknown>>;
export type Call = {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Body;
  readonly key?: string;
  readonly clientId?: string;
};
export type MakingWorld = Awaited<ReturnType<typeof makingWorld>>;

const handlers = await Promise.all(
  routes.map(async ({ folder, contract }) => {
    const path = new URL(`../../../functions/${folder}/handler.ts`, import.meta.url).pathname;
    const exported = (await import(path)) as Readonly<Record<string, unknown>>;
    const [operation] = Object.entries(exported).flatMap(([name, one]) => (name === 'handler' ? [] : [one]));
    return { contract, operation: operation as Operation<Contract, never> };
  }),
);

/** A company of which anything can be asked: by the id of any operation, as its caller meets it. */
export async function makingWorld() {
  const world = await paymentWorld({}, { allowChargeAfterDueDate: true });
  const { store, ids, clock } = world;
  const settings = { id: ids.uuid(), companyId: companyOne, organizationId: ids.uuid(), at: clock.now };
  const secret = { companyId: companyOne, current: `whsec_${'a'.repeat(43)}=`, createdAt: clock.now, version: 1 };
  const items = [webhookSettingsItem(newWebhookSettings(settings)), webhookSecretItem(secret)];
  await store.write(
    items.map((put) => ({ put })),
    ids.uuid(),
  );
  const deps = { ...world.deps, bank: { ...world.simulated } };
  const asks = new Map(
    handlers.map(({ contract, operation }) => [contract.operationId, caller(contract, operation, deps as never)]),
  );
  const ask = async (operation: string, call: Call): Promise<Answer> => {
    const response = await asks.get(operation)?.({ companyId: companyOne, ...call, params: call.params ?? {} });
    if (response === undefined) throw new Error(`There is no operation ${operation}.`);
    return response;
  };
  const create = async (operation: string, call: Call): Promise<{ readonly id: string }> => {
    const response = await ask(operation, { key: ids.uuid(), ...call });
    if (response.status > 299) throw new Error(`${operation}: ${response.text}`);
    return response.body as { readonly id: string };
  };
  return { ...world, ask, made: create };
}

const amount = { currency: 'BRL', value: '49.90' };
const payer = { name: 'Maria Silva', document: { type: 'CPF', number: '52998224725' } };
const payIn = { accountId: account, amount, payer, description: 'Order', externalId: 'paid-before' };
const hook = 'http://127.0.0.1:9/hook';

/** What a request needs before it: its path, and what makes of a body of the right form one that can be carried out. */
export type Begun = {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly fit?: (body: Body) => Body;
};
const ofAccount = (): Promise<Begun> =>
  Promise.resolve({ fit: (body) => ({ ...body, accountId: account, externalId: 'new' }) });

async function validated({ made: create }: MakingWorld): Promise<Begun> {
  const params = { accountId: account };
  const { validationId } = (await create('createPixKey', {
    ...{ params, body: { type: 'EMAIL', key: 'maria@example.com' } },
  })) as unknown as { readonly validationId: string };
  return { params, fit: (body) => ({ ...body, validationId }) };
}

/** What each operation that makes or changes something needs. */
export const begin: Readonly<Record<string, (world: MakingWorld) => Promise<Begun>>> = {
  createPayIn: ofAccount,
  cancelPayIn: async ({ made: create }) => {
    const { id } = await create('createPayIn', { body: payIn });
    return { params: { id } };
  },
  refundPayIn: async ({ made: create, forceOrder }) => {
    const { id } = await create('createPayIn', { body: payIn });
    await forceOrder(id, 'PAID');
    const fit = (body: Body): Body => ({ ...body, ...('amount' in body && { amount: { ...amount, value: 12.3 } }) });
    return { params: { id }, fit };
  },
  returnCredit: async ({ made: create }) => {
    const { id } = await create('receiveCredit', { body: { accountId: account, amount } });
    const fit = (body: Body): Body => ({ ...body, ...('amount' in body && { amount: { ...amount, value: 12.3 } }) });
    return { params: { id }, fit };
  },
  assignCredit: async ({ made: create }) => {
    const { id: orderId } = await create('createPayIn', { body: payIn });
    const { id } = await create('receiveCredit', { body: { accountId: account, amount } });
    return { params: { id }, fit: () => ({ orderId }) };
  },
  defendDispute: async ({ made: create }) => {
    const { id: creditId } = await create('receiveCredit', { body: { accountId: account, amount } });
    const { id } = await create('forceDisputeStatus', { body: { creditId, status: 'OPEN' } });
    return { params: { id } };
  },
  createPayout: async ({ made: create, forceOrder }) => {
    const { id } = await create('createPayIn', { body: { ...payIn, amount: { currency: 'BRL', value: '500.00' } } });
    await forceOrder(id, 'PAID');
    // The bank names the owner of a key, and the receiver of the request may be another one.
    const fit = ({ receiver, ...body }: Body): Body =>
      'bankAccount' in (body['paymentData'] as Body)
        ? { ...body, receiver: receiver ?? payer }
        : { ...body, paymentMethod: 'PIX' };
    return {
      fit: (body) => ({ ...fit(body), accountId: account, externalId: 'new', amount: { ...amount, value: 12.3 } }),
    };
  },
  createSubscription: () =>
    Promise.resolve({
      fit: ({ payer: expected, ...body }) => {
        const dates = { startDate: '2026-01-16', ...('endDate' in body && { endDate: '2027-01-16' }) };
        const fitted = { ...body, ...dates, accountId: account, externalId: 'new', webhookUrl: `${hook}/new` };
        // Journey 2 ignores it: nothing is paid when its code is read.
        return expected === undefined || !('initialCharge' in body) ? fitted : { ...fitted, payer: expected };
      },
    }),
  updateSubscription: ({ subscriptionId }) =>
    Promise.resolve({ params: { id: subscriptionId }, fit: () => ({ webhookUrl: hook }) }),
  cancelSubscription: ({ subscriptionId }) => Promise.resolve({ params: { id: subscriptionId } }),
  createScheduledPayment: async ({ subscriptionId, scheduled, forced }) => {
    const first = await scheduled(paymentBody({ dueDate: '2026-01-15' }));
    await forced(first.id, 'ACCEPTED', 'CANCELED_INSUFFICIENT_BALANCE');
    const again = { dueDate: '2026-01-17', amount, originalScheduledPaymentId: first.id };
    const fit = (body: Body): Body =>
      body['purpose'] === 'NEW_ATTEMPT_AFTER_DUE_DATE'
        ? { ...body, ...again }
        : { ...body, dueDate: '2026-02-20', amount: body['amount'] ?? amount };
    return { params: { id: subscriptionId }, fit: (body) => ({ ...fit(body), externalId: 'new' }) };
  },
  cancelScheduledPayment: async ({ subscriptionId, scheduled }) => {
    const { id: paymentId } = await scheduled(paymentBody({ dueDate: '2026-01-20' }));
    return { params: { id: subscriptionId, paymentId } };
  },
  createPixKey: () => Promise.resolve({ params: { accountId: account } }),
  resendKeyCode: validated,
  // With a code that is not the one: it counts once.
  confirmPixKey: validated,
  removePixKey: async ({ made: create }) => {
    const params = { accountId: account };
    const { validationId } = (await create('createPixKey', {
      ...{ params, body: { type: 'RANDOM' } },
    })) as unknown as { readonly validationId: string };
    return { params: { ...params, validationId } };
  },
  replaceWebhookSettings: () =>
    Promise.resolve({
      fit: (body) => ({
        events: (body['events'] as readonly Body[]).map((event, place) => ({ ...event, endpoint: `${hook}/${place}` })),
      }),
    }),
  releaseWebhookEndpoint: async ({ made: create }) => {
    await create('replaceWebhookSettings', { body: { events: [{ type: 'PAYIN', endpoint: hook }] } });
    return { fit: () => ({ endpoint: hook }) };
  },
  rotateWebhookSecret: () => Promise.resolve({}),
  testWebhook: async ({ made: create }) => {
    const events = ['PAYIN', 'PAYIN_REFUND', 'PAYOUT', 'CREDIT', 'DISPUTE'].map((type) => ({ type, endpoint: hook }));
    await create('replaceWebhookSettings', { body: { events } });
    return {};
  },
  resendWebhookDelivery: async (world) => {
    await begin['testWebhook']!(world);
    const { id } = await world.made('testWebhook', { body: { type: 'PAYIN' } });
    return { params: { id } };
  },
  resendWebhookDeliveries: ({ clock }) => {
    clock.now = '2026-04-01T12:00:00.000Z';
    return Promise.resolve({});
  },
};

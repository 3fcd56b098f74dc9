import type * as z from 'zod';
import type { CreditRecord } from '#shared/credits/contract.ts';
import type { CreditReason, CreditWithReturns } from '#shared/credits/model.ts';
import { creditUnexpected } from '#shared/credits/book.ts';
import { readReceived } from '#shared/credits/received.ts';
import { readCredit } from '#shared/credits/store.ts';
import { centavos } from '#shared/core/money.ts';
import { brl } from '#shared/contract/examples.ts';
import { applyChargeState } from '#shared/pay-ins/apply-state.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { endWaitingSubscription } from '#shared/subscriptions/first-charge.ts';
import type { Answer } from './api.ts';
import type { World } from './bank-world.ts';
import { account, companyOne, payInBody } from './bank-world.ts';

/** Reads the credit of a received payment by its end-to-end id. */
export async function creditOf(store: Store, companyId: string, endToEndId: string): Promise<CreditWithReturns> {
  const received = await readReceived(store, companyId, endToEndId);
  if (received?.creditId === undefined) throw new Error(`No credit has the end-to-end id ${endToEndId}.`);
  const found = await readCredit(store, companyId, received.creditId);
  if (found === undefined) throw new Error(`The credit of ${endToEndId} is gone.`);
  return found;
}

/** Who pays, as a bank names them. */
export const payer = {
  name: 'João Pereira',
  document: { type: 'CPF', number: '11144477735' },
  bank: { ispb: '60701190', branch: '0001', account: '98765432' },
} as const;

type CreditBody = z.output<typeof CreditRecord>;
export type ReturnBody = CreditBody['returns'][number];

/** A world, of whatever kind. */
type Wanted = Omit<World, 'store'> & { readonly store: Store };

/** Calls about credits of the first company, each as a partner makes it, and what the company sees of its money. */
export function creditCalls(world: Wanted) {
  const context = () => {
    const { store, ids, clock, deps } = world;
    const { now, realNow } = deps;
    return { store, ids, now, realNow, at: clock.now, companyId: companyOne, requestId: 'r' };
  };
  const created = (response: Answer): string => {
    if (response.status !== 201) throw new Error(`${response.status} ${response.text}`);
    return (response.body as { readonly id: string }).id;
  };
  let keys = 0;
  const freshKey = (): string => `key-${(keys += 1)}`;
  const giveBack = (id: string, key: string, value?: unknown, companyId = companyOne): Promise<Answer> =>
    world.returnCredit({
      ...{ companyId, key, params: { id } },
      body: value === undefined ? {} : { amount: { currency: 'BRL', value } },
    });
  return {
    context,
    /** Money to the bare key, by the simulation tool. */
    received: async (value = '25.00', more: object = {}): Promise<string> =>
      created(
        await world.receiveCredit({ companyId: companyOne, body: { accountId: account, amount: brl(value), ...more } }),
      ),
    /** Money that a bank reports. */
    booked: async (endToEndId: string, amount: number, more: { reason?: CreditReason; connection?: string } = {}) => {
      const facts = { accountId: account, endToEndId, amount: centavos(amount), reason: 'NO_CHARGE' } as const;
      await creditUnexpected(context(), { ...facts, ...more });
      return (await creditOf(world.store, companyOne, endToEndId)).credit.id;
    },
    /** What the bank reports of a charge: the payments that it got. */
    hear: (payInId: string, ...payments: readonly { readonly endToEndId: string; readonly amount: number }[]) =>
      applyChargeState({ ...context(), alsoEnds: endWaitingSubscription }, payInId, {
        status: 'ACTIVE',
        payments: payments.map(({ amount, ...facts }) => {
          return { at: world.clock.now, returns: [], payer, ...facts, amount: centavos(amount) };
        }),
      }),
    payIn: async (more: Readonly<Record<string, unknown>> = {}): Promise<string> =>
      created(await world.createPayIn({ companyId: companyOne, key: freshKey(), body: payInBody(more) })),
    payInRecord: async (id: string) =>
      (await world.getPayIn({ companyId: companyOne, params: { id } })).body as Readonly<Record<string, unknown>>,
    record: async (id: string): Promise<CreditBody> => {
      const response = await world.getCredit({ companyId: companyOne, params: { id } });
      if (response.status !== 200) throw new Error(`${response.status} ${response.text}`);
      return response.body as CreditBody;
    },
    giveBack,
    /** The same, for a request that must be accepted. */
    returned: async (id: string, value?: string): Promise<string> => {
      const response = await giveBack(id, freshKey(), value);
      if (response.status !== 201) throw new Error(`${response.status} ${response.text}`);
      return (response.body as ReturnBody).returnId;
    },
    assign: (id: string, orderId: string, companyId = companyOne): Promise<Answer> =>
      world.assignCredit({ companyId, params: { id }, body: { orderId } }),
    /** Available and reserved. */
    balance: async (accountId = account) => {
      const { body } = await world.getBalance({ companyId: companyOne, params: { accountId } });
      const { available, reserved } = body as { readonly available: string; readonly reserved: string };
      return [available, reserved];
    },
    entries: () =>
      world.items('LEDGER_ENTRY').map(({ kind, available, reserved }) => [kind, available, reserved] as const),
    /** The events of all notifications, in their order. */
    told: (): readonly unknown[] => world.notifications().map(({ event }) => event),
  };
}

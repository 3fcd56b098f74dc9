import type * as z from 'zod';
import { brl } from '#shared/contract/examples.ts';
import type { DisputeRecord } from '#shared/disputes/contract.ts';
import type { Answer } from './api.ts';
import type { World } from './bank-world.ts';
import { account, companyOne } from './bank-world.ts';

type DisputeBody = z.output<typeof DisputeRecord>;

/** Calls about disputes of the first company, each as a partner or the bank makes it. */
export function disputeCalls(world: World) {
  const ask = (body: object, companyId = companyOne): Promise<Answer> => world.forceDispute({ companyId, body });
  const idOf = (response: Answer): string => {
    if (response.status !== 200) throw new Error(`${response.status} ${response.text}`);
    return (response.body as { readonly id: string }).id;
  };
  return {
    /** What the payer's bank says. */
    ask,
    opened: async (orderId: string, value?: string): Promise<string> =>
      idOf(await ask({ orderId, status: 'OPEN', ...(value !== undefined && { amount: brl(value) }) })),
    moved: async (id: string, status: string, value?: string): Promise<string> =>
      idOf(await ask({ id, status, ...(value !== undefined && { amount: brl(value) }) })),
    record: async (id: string): Promise<DisputeBody> => {
      const response = await world.getDispute({ companyId: companyOne, params: { id } });
      if (response.status !== 200) throw new Error(`${response.status} ${response.text}`);
      return response.body as DisputeBody;
    },
    defend: (id: string, key: string, body: object = { text: 'It was delivered.' }, companyId = companyOne) =>
      world.defendDispute({ companyId, key, params: { id }, body }),
    /** Available, reserved and blocked. */
    balance: async (accountId = account) => {
      const { body } = await world.getBalance({ companyId: companyOne, params: { accountId } });
      const { available, reserved, blocked } = body as Readonly<Record<string, string>>;
      return [available, reserved, blocked];
    },
    /** Kind, available and blocked of the entries of disputes. */
    entries: () =>
      world
        .items('LEDGER_ENTRY')
        .filter(({ disputeId }) => disputeId !== undefined)
        .map(({ kind, available, blocked }) => [kind, available, blocked] as const),
    told: (): readonly unknown[] =>
      world.notifications().flatMap(({ event }) => (String(event).startsWith('DISPUTE.') ? [event] : [])),
  };
}

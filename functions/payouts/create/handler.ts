import type { AnswerOf, RequestOf } from '#shared/contract/contract.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { countStatus } from '#shared/platform/count-status.ts';
import { createOnce } from '#shared/platform/idempotent-create.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { readPayout } from '#shared/payouts/store.ts';
import type { PayingDependencies } from '#shared/bank-wiring/paying-bank.ts';
import { payingDependencies } from '#shared/bank-wiring/paying-bank.ts';
import { createdPayoutView } from '#shared/payouts/view.ts';
import { CreatePayout } from './contract.ts';
import { handOver } from './hand-over.ts';
import { payoutChange } from './payout-change.ts';
import { preparePayout } from './prepare-payout.ts';

/**
 * Creates a payout and reserves its amount, in one transaction; then hands it to the bank (2.7, 4.5).
 * @throws Refusal for an account that is unknown, not active or short of money, a receiver whom the bank does not know
 * or who is not the owner, an external id that is taken, or a key used for another request. @throws BankUnavailable.
 */
export async function createPayout(
  request: RequestOf<typeof CreatePayout>,
  deps: PayingDependencies,
): Promise<AnswerOf<typeof CreatePayout>> {
  const { body, caller } = request;
  const { companyId } = caller;
  const startedMs = deps.elapsedMs();
  return createOnce(deps, request, {
    operation: CreatePayout.operationId,
    keyLife: 'FOR_EVER',
    find: (read) => read([keys.account(companyId, body.accountId), keys.balance(companyId, body.accountId)]),
    decide: ([account, balance], at) => preparePayout(request, { account, balance }, at, deps),
    unique: { kind: 'PAYOUT', externalId: body.externalId, what: 'payout', listed: ({ payout }) => payout },
    idOf: ({ payout }) => payout.id,
    change: (order) => payoutChange(request, order, deps),
    answer: async (order) => {
      countStatus('PAYOUT', 'PENDING');
      await handOver(request, deps, order, startedMs);
      return { status: 201 as const, body: createdPayoutView(order) };
    },
    replay: async (id) => {
      const order = await readPayout(deps.store, companyId, id);
      if (order === undefined) throw new Error('An idempotency key names a payout that does not exist.');
      return { status: 201 as const, body: createdPayoutView(order), replayed: true };
    },
  });
}

export const handler = endpoint(CreatePayout, createPayout, payingDependencies);

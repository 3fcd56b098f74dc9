import type { Account } from '#shared/accounts/model.ts';
import type { Operation } from '#shared/contract/contract.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { countStatus } from '#shared/platform/commit-transition.ts';
import { createOnce } from '#shared/platform/idempotent-create.ts';
import { submitInTime, timeForBank } from '#shared/bank/submit-in-time.ts';
import { takePayout } from '#shared/platform/rate-limit.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { settleFirstResponse } from '#shared/payouts/end-to-end-ids.ts';
import { readPayout } from '#shared/payouts/store.ts';
import type { PayoutWithPayments } from '#shared/payouts/model.ts';
import type { PayingDependencies } from '#functions/banks.ts';
import { payingDependencies } from '#functions/banks.ts';
import { payoutChange, preparePayout } from '#shared/payouts/create.ts';
import { submitNewPayout } from '#shared/payouts/submit.ts';
import { createdPayoutView } from '#shared/payouts/view.ts';
import { CreatePayout } from './contract.ts';

/**
 * Creates a payout and reserves its amount, in one transaction; then submits it (2.7, 4.5).
 * @throws RequestError 404 or 409 for the account; for a receiver that is unknown or not the owner; 409 for a taken
 * external id; 422 for an idempotency key of another request
 * @throws BankUnavailable
 */
export const createPayout: Operation<typeof CreatePayout, PayingDependencies> = async (request, deps) => {
  const { body, caller, idempotencyKey, requestId } = request;
  const { companyId, clientId: createdBy } = caller;
  const { store, ids, bank, now, realNow, elapsedMs } = deps;
  const remainingMs = timeForBank(elapsedMs);
  const readCreated = async (id: string) => {
    const order = await readPayout(store, companyId, id);
    if (order === undefined) throw new Error('An idempotency key names a payout that does not exist.');
    return order;
  };
  const created = async (order: PayoutWithPayments) =>
    createdPayoutView(await settleFirstResponse(store, companyId, order, () => readCreated(order.payout.id)));
  let counted: Promise<void> | undefined;
  // A payout that is decided again after a conflict counts once.
  const takePlace = (account: Account) => (counted ??= takePayout({ store, now: realNow }, account));
  return createOnce(deps, request, {
    operation: CreatePayout.operationId,
    keyLife: 'FOR_EVER',
    find: (read) => read([keys.account(companyId, body.accountId), keys.balance(companyId, body.accountId)]),
    decide: ([account, balance], at) =>
      preparePayout({ body, companyId, idempotencyKey, createdBy }, { account, balance }, at, { ...deps, takePlace }),
    unique: {
      kind: 'PAYOUT',
      externalId: body.externalId,
      resourceName: 'payout',
      listed: ({ payout }) => payout,
      // A batch has none: each of its payments is found by the end-to-end id of that payment.
      endToEndId: ({ payout, payments }) => (payments.length === 0 ? payout.endToEndId : undefined),
    },
    idOf: ({ payout }) => payout.id,
    change: (order) => payoutChange(companyId, order, ids.uuid()),
    response: async (order) => {
      countStatus('PAYOUT', 'PENDING');
      const context = { store, ids, bank, at: now(), realNow, companyId, requestId };
      const command = { companyId, requestId, payoutId: order.payout.id };
      await submitInTime(() => submitNewPayout(context, order, remainingMs), command);
      return { status: 201, body: await created(order) };
    },
    replay: async (id) => ({ status: 201, body: await created(await readCreated(id)), replayed: true }),
  });
};

export const handler = endpoint(CreatePayout, createPayout, payingDependencies);

import type * as z from 'zod';
import type { Account } from '#shared/accounts/model.ts';
import { readAccount } from '#shared/accounts/store.ts';
import type { Capabilities } from '#shared/bank/capabilities.ts';
import type { Operation } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { maxChildren } from '#shared/core/identifiers.ts';
import type { Centavos } from '#shared/core/money.ts';
import { centavos, formatAmount } from '#shared/core/money.ts';
import { tedHours } from '#shared/payouts/ted-calendar.ts';
import { registrableKeyTypes } from '#shared/pix-keys/model.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { executionEnds, withdrawalEnds } from '#shared/scheduled-payments/window.ts';
import type { CapabilityDependencies } from '#functions/banks.ts';
import { capabilityDependencies } from '#functions/banks.ts';
import { GetCapabilities } from './contract.ts';
import type { AccountCapabilities } from './schemas.ts';

/** Returns what the bank of an account can do. @throws RequestError 404; 409 for an account that has no bank */
export const getCapabilities: Operation<typeof GetCapabilities, CapabilityDependencies> = async (
  { caller: { companyId }, params: { accountId } },
  { store, bank, settings },
) => {
  const account = await readAccount(store, companyId, accountId);
  if (account === undefined) throw notFound('Account');
  const can = await bank.capabilities(companyId, await bank.connectionOf(companyId, account.id));
  const limit = account.pixTransactionLimit ?? centavos(settings.pixTransactionLimitCentavos);
  return { status: 200, body: capabilitiesView(can, account, limit) };
};

function capabilitiesView(
  { payouts, keys, keyLookup, retryOwner, claims }: Capabilities,
  { payoutsAMinute }: Pick<Account, 'payoutsAMinute'>,
  limit: Centavos,
): z.output<typeof AccountCapabilities> {
  const { byKey, staticCode, dynamicCode, accountTypes, ted, cancel } = payouts;
  const isPix = byKey || staticCode || dynamicCode || accountTypes.length > 0;
  return {
    paymentMethods: [...(isPix ? (['PIX'] as const) : []), ...(ted ? (['TED'] as const) : [])],
    accountTypes,
    keyTypes: registrableKeyTypes.filter((type) => keys.includes(type)),
    keyLookup: keyLookup === 'FULL' ? 'FULL' : 'NONE',
    cancellation: cancel,
    settlementErrorResends: retryOwner === 'us' ? 'SERVICE' : 'BANK',
    disputes: claims,
    limits: {
      pixPayment: formatAmount(limit),
      pixPayout: formatAmount(centavos(limit * maxChildren)),
      ...(payoutsAMinute !== undefined && { payoutsPerMinute: payoutsAMinute }),
    },
    hours: {
      ...(ted && { ted: tedHours }),
      settlementErrorResends: { until: executionEnds },
      scheduledPaymentCancellations: { until: withdrawalEnds },
    },
  };
}

export const handler = endpoint(GetCapabilities, getCapabilities, capabilityDependencies);

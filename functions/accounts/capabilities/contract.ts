import { bankAccountTypes } from '#shared/accounts/model.ts';
import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { Uuid } from '#shared/contract/text.ts';
import { executionEnds, withdrawalEnds } from '#shared/scheduled-payments/window.ts';
import { tedHours } from '#shared/payouts/ted-calendar.ts';
import { registrableKeyTypes } from '#shared/pix-keys/model.ts';
import { AccountCapabilities } from './schemas.ts';

export const GetCapabilities = contract({
  operationId: 'getCapabilities',
  method: 'GET',
  path: '/order/v1/banking/accounts/{accountId}/capabilities',
  tag: 'Accounts',
  summary: 'Get what the bank of an account can do',
  description:
    'What the bank of the account can do, and the limits and hours that hold for it. What it cannot do is refused with 409 `INVALID_VALUE` on the field that asks for it, before anything is written. In the sandbox the simulated bank can do everything, unless `PUT /order-tools/v1/bank-profile` makes it as narrow as a real one.',
  params: { accountId: Uuid.meta({ description: 'The account.' }) },
  responses: { 200: AccountCapabilities },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof GetCapabilities> => ({
  request: { params: { accountId: exampleIds.accountId } },
  response: {
    status: 200,
    body: {
      paymentMethods: ['PIX', 'TED'],
      accountTypes: [...bankAccountTypes],
      keyTypes: [...registrableKeyTypes],
      keyLookup: 'FULL',
      cancellation: true,
      settlementErrorResends: 'SERVICE',
      disputes: true,
      limits: { pixPayment: '15000.00', pixPayout: '1350000.00' },
      hours: {
        ted: tedHours,
        settlementErrorResends: { until: executionEnds },
        scheduledPaymentCancellations: { until: withdrawalEnds },
      },
    },
  },
});

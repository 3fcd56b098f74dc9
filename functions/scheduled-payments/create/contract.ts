import * as z from 'zod';
import { AmountInput } from '#shared/contract/amount.ts';
import type { AddDetail, LooseFields, ExampleOf } from '#shared/contract/contract.ts';
import { betweenFields, contract, having } from '#shared/contract/contract.ts';
import { LocalDate } from '#shared/contract/date.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { Description, ExternalId, Uuid } from '#shared/contract/text.ts';
import { ScheduledPaymentRecord } from '#shared/scheduled-payments/contract.ts';
import { pendingPayment } from '#shared/scheduled-payments/examples.ts';
import { requestedPurposes } from '#shared/scheduled-payments/model.ts';

const Body = z
  .strictObject({
    externalId: ExternalId.meta({
      description:
        'Your own identifier, and the key of the request: the same body again is answered with the same payment.',
      examples: ['contract-77-2030-01'],
    }),
    dueDate: LocalDate.meta({ description: 'When it is to be paid, a day of the recurrence.' }),
    amount: AmountInput.optional().meta({
      description: 'Required unless the subscription has a `fixedAmount`; then it must equal it.',
    }),
    description: Description.optional(),
    purpose: z
      .enum(requestedPurposes)
      .optional()
      .meta({
        description: 'A new attempt is possible with `allowChargeAfterDueDate` only.',
        openapi: { default: 'FIRST_ATTEMPT' },
      }),
    originalScheduledPaymentId: Uuid.optional().meta({
      description: 'Of a new attempt, and only there: the first attempt.',
    }),
  })
  .check(betweenFields(originalRule))
  .meta({
    openapi: {
      if: { properties: { purpose: { const: 'NEW_ATTEMPT_AFTER_DUE_DATE' } }, required: ['purpose'] },
      then: having('originalScheduledPaymentId'),
      else: { not: having('originalScheduledPaymentId') },
    },
  });

function originalRule({ purpose, originalScheduledPaymentId: original }: LooseFields, add: AddDetail): void {
  const isNew = purpose === 'NEW_ATTEMPT_AFTER_DUE_DATE';
  if (isNew && original === undefined)
    add('originalScheduledPaymentId', 'REQUIRED', 'Is required for a new attempt: the id of the first one.');
  if (!isNew && original !== undefined)
    add('originalScheduledPaymentId', 'INVALID_VALUE', 'Is only for NEW_ATTEMPT_AFTER_DUE_DATE.');
}

export const CreateScheduledPayment = contract({
  operationId: 'createScheduledPayment',
  method: 'PUT',
  path: '/public/v1/banking/subscriptions/{id}/payments',
  tag: 'Scheduled payments',
  summary: 'Schedule a payment of an accepted subscription',
  description:
    'Idempotent by `externalId`: the same body again is answered with 200 and the present record, another body with 409. `amount` is required unless the subscription has a `fixedAmount`. One live `FIRST_ATTEMPT` in each cycle of the frequency. A `NEW_ATTEMPT_AFTER_DUE_DATE` names the first attempt, which ended for want of money or by an error; at most three, on different days, within seven days and before the next cycle.',
  onceBy: 'EXTERNAL_ID',
  params: { id: Uuid.meta({ description: 'The subscription.' }) },
  body: Body,
  responses: { 200: ScheduledPaymentRecord, 201: ScheduledPaymentRecord },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof CreateScheduledPayment> => ({
  request: {
    params: { id: exampleIds.subscriptionId },
    body: { externalId: pendingPayment.externalId, dueDate: pendingPayment.dueDate, amount: pendingPayment.amount },
  },
  response: { status: 201, body: pendingPayment },
});

import * as z from 'zod';
import { AmountInput } from '#shared/contract/amount.ts';
import type { AddDetail, LooseFields, ExampleOf, RuleContext } from '#shared/contract/contract.ts';
import { betweenFields, contract, having } from '#shared/contract/contract.ts';
import { LocalDate } from '#shared/contract/date.ts';
import { PartyInput } from '#shared/contract/party.ts';
import { Description, ExternalId, Uuid } from '#shared/contract/text.ts';
import { brasiliaDate, isLocalDate } from '#shared/core/brasilia-time.ts';
import { CreatedSubscription, InitialChargeInput, meanings } from '#shared/subscriptions/contract.ts';
import { createdSubscription, requestedSubscription } from '#shared/subscriptions/examples.ts';
import { frequencies, subscriptionTypes } from '#shared/subscriptions/model.ts';
import { requireCallable, SubscriptionUrl } from '#shared/webhooks/url.ts';

const Body = z
  .strictObject({
    accountId: Uuid.meta({ description: 'The account that receives; its holder is a company.' }),
    type: z.enum(subscriptionTypes).meta({ description: meanings.type }),
    externalId: ExternalId.meta({ examples: ['contract-77'] }),
    description: Description.optional(),
    webhookUrl: SubscriptionUrl,
    frequencyType: z.enum(frequencies).meta({ description: meanings.frequencyType }),
    startDate: LocalDate.meta({ description: `${meanings.startDate} Not before today.` }),
    endDate: LocalDate.optional().meta({ description: meanings.endDate, openapi: { examples: ['2031-01-10'] } }),
    allowChargeAfterDueDate: z
      .boolean()
      .optional()
      .meta({ description: meanings.allowChargeAfterDueDate, openapi: { default: false } }),
    allowAdjustToBusinessDay: z
      .boolean()
      .optional()
      .meta({ description: meanings.allowAdjustToBusinessDay, openapi: { default: false } }),
    fixedAmount: AmountInput.optional().meta({ description: meanings.fixedAmount }),
    maxAmountFloor: AmountInput.optional().meta({ description: meanings.maxAmountFloor }),
    debtor: PartyInput.meta({ description: meanings.debtor }),
    payer: PartyInput.optional().meta({
      description: 'Journey 3: who is expected to pay the first charge, if not the debtor.',
    }),
    initialCharge: InitialChargeInput.optional(),
  })
  .check(betweenFields(subscriptionRules))
  .meta({
    openapi: {
      // Without `not`, for which client generators create a separate model.
      dependentSchemas: { fixedAmount: { properties: { maxAmountFloor: false }, additionalProperties: true } },
      if: { properties: { type: { const: 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT' } } },
      then: having('initialCharge'),
      else: { not: having('initialCharge') },
    },
  });

/** Rules of 2.2 between fields. */
function subscriptionRules(fields: LooseFields, add: AddDetail): void {
  const { type, startDate, endDate, fixedAmount, maxAmountFloor, initialCharge } = fields;
  if (fixedAmount !== undefined && maxAmountFloor !== undefined)
    for (const field of ['fixedAmount', 'maxAmountFloor'])
      add(field, 'MUTUALLY_EXCLUSIVE', 'Send fixedAmount or maxAmountFloor, not both.');
  if (typeof startDate === 'string' && typeof endDate === 'string' && endDate < startDate)
    add('endDate', 'OUT_OF_RANGE', 'Must not be before startDate.');
  if (type === 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT' && initialCharge === undefined)
    add('initialCharge', 'REQUIRED', 'Is required for this type.');
  if (type === 'AUTHORIZATION_QRCODE' && initialCharge !== undefined)
    add('initialCharge', 'INVALID_VALUE', 'Is only for AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT.');
}

/** Rejects a start date in the past, and a webhook address that this environment may not call. */
function contextRules({ startDate, webhookUrl }: LooseFields, context: RuleContext, add: AddDetail): void {
  if (typeof startDate === 'string' && isLocalDate(startDate) && startDate < brasiliaDate(context.now))
    add('startDate', 'OUT_OF_RANGE', 'Must not be earlier than today in Brasilia.');
  requireCallable('webhookUrl', webhookUrl, context, add);
}

export const CreateSubscription = contract({
  operationId: 'createSubscription',
  method: 'POST',
  path: '/order/v1/banking/subscriptions',
  tag: 'Subscriptions',
  summary: 'Create a subscription and its QR code',
  description:
    'Journey 2 (`AUTHORIZATION_QRCODE`): the code carries the recurrence only. Journey 3 (`AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT`): reading it also settles the first charge, a pay-in order of its own. The idempotency key is optional and advised.',
  idempotencyKey: 'optional',
  onceBy: 'EXTERNAL_ID',
  body: Body,
  contextRules,
  responses: { 201: CreatedSubscription },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof CreateSubscription> => ({
  request: { body: requestedSubscription },
  response: { status: 201, body: createdSubscription },
});

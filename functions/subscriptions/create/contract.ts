import * as z from 'zod';
import { AmountInput } from '../../../shared/contracts/amount.ts';
import type { AddFault, LooseFields } from '../../../shared/contracts/between-fields.ts';
import { betweenFields } from '../../../shared/contracts/between-fields.ts';
import { contract } from '../../../shared/contracts/contract.ts';
import { LocalDate } from '../../../shared/contracts/date.ts';
import { PartyInput } from '../../../shared/contracts/party.ts';
import { CreatedSubscription } from '../../../shared/contracts/subscription.ts';
import { Description, ExternalId, Uuid } from '../../../shared/contracts/text.ts';
import { WebhookUrl } from '../../../shared/contracts/webhook-url.ts';
import { FREQUENCIES, SUBSCRIPTION_TYPES } from '../../../shared/domain/subscription.ts';

const Body = z
  .strictObject({
    accountId: Uuid,
    type: z.enum(SUBSCRIPTION_TYPES),
    externalId: ExternalId,
    description: Description.optional(),
    webhookUrl: WebhookUrl,
    frequencyType: z.enum(FREQUENCIES),
    startDate: LocalDate,
    endDate: LocalDate.optional(),
    allowChargeAfterDueDate: z.boolean().optional(),
    allowAdjustToBusinessDay: z.boolean().optional(),
    fixedAmount: AmountInput.optional(),
    maxAmountFloor: AmountInput.optional(),
    debtor: PartyInput,
    payer: PartyInput.optional(),
    initialCharge: z.strictObject({ amount: AmountInput }).optional(),
  })
  .check(betweenFields(subscriptionRules))
  .meta({
    openapi: {
      not: { required: ['fixedAmount', 'maxAmountFloor'] },
      if: { properties: { type: { const: 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT' } } },
      then: { required: ['initialCharge'] },
      else: { not: { required: ['initialCharge'] } },
    },
  });

/** What 2.2 and the decisions on it say of several fields at once. */
function subscriptionRules(fields: LooseFields, add: AddFault): void {
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

export const CreateSubscription = contract({
  operationId: 'createSubscription',
  method: 'POST',
  path: '/order/v1/banking/subscriptions',
  tag: 'Subscriptions',
  summary: 'Create a subscription and its QR code',
  description:
    'Journey 2 (`AUTHORIZATION_QRCODE`): the code carries the recurrence only. Journey 3 (`AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT`): reading it also settles the first charge, a pay-in order of its own. The idempotency key is optional and advised.',
  idempotencyKey: 'optional',
  params: z.strictObject({}),
  query: z.strictObject({}),
  body: Body,
  answers: { 201: CreatedSubscription },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
});

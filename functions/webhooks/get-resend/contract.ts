import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { Uuid } from '#shared/contract/text.ts';
import { ResendRecord } from '#shared/webhooks/contract.ts';
import { runningResend } from '#shared/webhooks/examples.ts';

export const GetResend = contract({
  operationId: 'getWebhookResend',
  method: 'GET',
  path: '/order/v1/webhook/resends/{id}',
  tag: 'Webhooks',
  summary: 'Get a resend',
  description: 'How far it has come, for 90 days.',
  params: { id: Uuid.meta({ description: 'The resend.' }) },
  responses: { 200: ResendRecord },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof GetResend> => ({
  request: { params: { id: exampleIds.resendId } },
  response: {
    status: 200,
    body: { ...runningResend, status: 'COMPLETED', sentCount: 12, completedAt: '2026-01-16T10:01:03.900Z' },
  },
});

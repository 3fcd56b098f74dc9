import * as z from 'zod';
import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { customIssue, text } from '#shared/contract/text.ts';
import { DefenceRecord, DisputeId } from '#shared/disputes/contract.ts';
import { defence } from '#shared/disputes/examples.ts';

const DocumentUrl = text(2048, 'noBlanks')
  .regex(/^https:\/\/[^/]+/u, 'Must be an https URL.')
  .superRefine((url, context) => {
    if (url.startsWith('https://') && !URL.canParse(url))
      context.addIssue(customIssue('INVALID_FORMAT', 'Must be an https URL.'));
  })
  .meta({
    openapi: { pattern: '^https://[^/\\s]+\\S*$' },
    description: 'Address of a document.',
    examples: ['https://partner.example.com/evidence/1.pdf'],
  });

export const DefendDispute = contract({
  operationId: 'defendDispute',
  method: 'POST',
  path: '/order/v1/banking/disputes/{id}/defences',
  tag: 'Disputes',
  summary: 'Defend a dispute',
  description:
    'Gives the bank your answer to the claim, once, until `dueAt`: what was sold, and how the payer got it. Once the bank has it the dispute is `DEFENDED`, with its notification; the bank decides. A `PENDING` defence is on its way: read the dispute for its end.',
  idempotencyKey: 'required',
  params: { id: DisputeId },
  body: {
    text: text(1000).meta({ description: 'Your answer.', examples: ['The service was used on January 16.'] }),
    documents: z
      .array(DocumentUrl)
      .max(5)
      .optional()
      .meta({ description: 'Addresses of your evidence, where the bank can read it.' }),
  },
  responses: { 201: DefenceRecord },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof DefendDispute> => ({
  request: {
    params: { id: exampleIds.disputeId },
    body: { text: defence.text, documents: defence.documents },
  },
  response: { status: 201, body: defence },
});

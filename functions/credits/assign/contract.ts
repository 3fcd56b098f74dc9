import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { Uuid } from '#shared/contract/text.ts';
import { CreditId, CreditRecord } from '#shared/credits/contract.ts';
import { openCredit } from '#shared/credits/examples.ts';

export const AssignCredit = contract({
  operationId: 'assignCredit',
  method: 'POST',
  path: '/order/v1/banking/credits/{id}/assign',
  tag: 'Credits',
  summary: 'Assign unexpected money to a pay-in',
  description:
    'Lets the credit pay a `PENDING` pay-in of its account, of the same amount: the pay-in becomes `PAID`, with its notification, and its QR code ends. Repeated for the same pay-in it changes nothing.',
  onceBy: 'STATE',
  params: { id: CreditId },
  body: { orderId: Uuid.meta({ description: 'The pay-in that the money is for.' }) },
  responses: { 200: CreditRecord },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof AssignCredit> => ({
  request: { params: { id: exampleIds.creditId }, body: { orderId: exampleIds.payInId } },
  response: { status: 200, body: { ...openCredit, reason: 'NO_CHARGE', status: 'ASSIGNED' } },
});

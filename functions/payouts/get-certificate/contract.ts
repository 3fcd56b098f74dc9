import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { OrderIdInPath } from '#shared/contract/text.ts';
import { CertificateFormat, PaymentCertificate, receiptFiles } from '#shared/certificates/contract.ts';
import { payoutCertificateExample } from '#shared/certificates/examples.ts';

export const GetPayoutCertificate = contract({
  operationId: 'getPayoutCertificate',
  method: 'GET',
  path: '/order/v1/banking/order-payouts/{id}/certificate',
  tag: 'Payouts',
  summary: 'Get the certificate of a payout',
  description:
    'A signed account of who asked for the payout, how often it went to the bank, what the bank decided, and the entries that took the money. It can be kept and shown to others, who verify it without this service. What is not known yet is said so: read it again later. Each request is signed anew. With `format=html`, or `Accept: text/html`, it is a receipt for people.',
  params: {
    id: OrderIdInPath.meta({ description: 'The payout.', examples: ['6f1d2c3b-4a59-4e8f-9a0b-1c2d3e4f5a00'] }),
  },
  query: { format: CertificateFormat },
  files: receiptFiles,
  responses: { 200: PaymentCertificate },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof GetPayoutCertificate> => ({
  request: { params: { id: exampleIds.payoutId } },
  response: { status: 200, body: payoutCertificateExample },
});

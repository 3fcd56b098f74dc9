import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { CertificateFormat, PaymentCertificate, receiptFiles } from '#shared/certificates/contract.ts';
import { refundCertificateExample } from '#shared/certificates/examples.ts';
import { PayInId } from '#shared/pay-ins/contract.ts';
import { RefundIdInPath } from '#shared/refunds/contract.ts';

export const GetRefundCertificate = contract({
  operationId: 'getRefundCertificate',
  method: 'GET',
  path: '/order/v1/banking/order-payins/{id}/refunds/{refundId}/certificate',
  tag: 'Pay-ins',
  summary: 'Get the certificate of a refund',
  description:
    'A signed account of who asked for the refund, how often it went to the bank, what the bank decided, and the entry that took the money. It is that of a payout with `kind` `REFUND`. A return that the bank made by itself has no client and no submission. With `format=html`, or `Accept: text/html`, it is a receipt for people.',
  params: { id: PayInId, refundId: RefundIdInPath },
  query: { format: CertificateFormat },
  files: receiptFiles,
  responses: { 200: PaymentCertificate },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof GetRefundCertificate> => ({
  request: { params: { id: exampleIds.payInId, refundId: exampleIds.refundId } },
  response: { status: 200, body: refundCertificateExample },
});

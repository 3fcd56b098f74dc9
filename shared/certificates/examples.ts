import type * as z from 'zod';
import { brl, company, exampleIds, exampleTimes, maria } from '../contract/examples.ts';
import { paidPayIn } from '../pay-ins/examples.ts';
import { shownPayout } from '../payouts/examples.ts';
import type { PaymentCertificate } from './contract.ts';

const clinic = {
  name: company.fullName,
  document: company.document.number,
  bank: { ispb: '12345678', branch: '0001', account: '987654-3' },
};
const mariaAtBank = { ...maria, bank: { ispb: '60701190', branch: '0001', account: '123456-7' } };

/** A refund of the whole pay-in, before its minute is closed. */
export const refundCertificateExample = {
  certificate: 'eyJhbGciOiJFUzI1NiJ9.eyJ2ZXJzaW9uIjoxfQ.c2lnbmF0dXJl',
  payload: {
    version: 1,
    issuedAt: exampleTimes.refunded,
    kind: 'REFUND',
    id: exampleIds.refundId,
    externalId: paidPayIn.externalId,
    orderId: exampleIds.payInId,
    accountId: exampleIds.accountId,
    paymentMethod: 'PIX',
    amount: paidPayIn.amount,
    description: 'Devolução a pedido',
    request: {
      at: '2026-01-16T09:58:00.000Z',
      clientId: '0246d40d-3193-4308-ae05-dc1fd379cde4',
      idempotencyKey: '7d1a3b52-refund',
      fingerprint: '2f7c1a9be0d34c58a6f1e2d3c4b5a69788796a5b4c3d2e1f00112233445566aa',
    },
    payer: clinic,
    receiver: mariaAtBank,
    submissionsCount: 1,
    submissions: [{ at: '2026-01-16T09:58:00.000Z', verdict: 'CARRIED_OUT' }],
    outcome: 'CARRIED_OUT',
    since: exampleTimes.refunded,
    endToEndId: 'D12345678202601161000A1b2C3d4E5f',
    debits: [
      {
        id: '5c6b7a89-98a7-4b6c-8d5e-4f3021324354',
        accountId: exampleIds.accountId,
        type: 'REFUND_SETTLED',
        available: '0.00',
        reserved: `-${paidPayIn.amount.value}`,
        blocked: '0.00',
        orderId: exampleIds.payInId,
        refundId: exampleIds.refundId,
        endToEndId: 'D12345678202601161000A1b2C3d4E5f',
        counterparty: mariaAtBank,
        createdAt: exampleTimes.refunded,
      },
    ],
  },
} satisfies z.output<typeof PaymentCertificate>;

export const payoutCertificateExample = {
  certificate: 'eyJhbGciOiJFUzI1NiJ9.eyJ2ZXJzaW9uIjoxfQ.c2lnbmF0dXJl',
  payload: {
    version: 1,
    issuedAt: exampleTimes.refunded,
    kind: 'PAYOUT',
    id: exampleIds.payoutId,
    externalId: shownPayout.externalId,
    orderId: exampleIds.payoutId,
    accountId: exampleIds.accountId,
    paymentMethod: 'PIX',
    amount: brl('7.25'),
    description: shownPayout.description,
    request: {
      at: exampleTimes.created,
      clientId: '0246d40d-3193-4308-ae05-dc1fd379cde4',
      idempotencyKey: '7d1a3b52-payout',
      fingerprint: '6e1b4bd7c0c2a1be0b1a0f7f1c9f0f5ad1f0f7a8c5f2f4f4c1a7f6a3d1e8b920',
    },
    payer: clinic,
    receiver: { ...mariaAtBank, pix: { type: 'EMAIL', key: 'maria@example.com' } },
    submissionsCount: 1,
    submissions: [{ at: exampleTimes.created, verdict: 'CARRIED_OUT' }],
    outcome: 'CARRIED_OUT',
    since: exampleTimes.paid,
    endToEndId: shownPayout.endToEndId,
    debits: [
      {
        id: '4b5a6978-8796-4a5b-9c4d-3e2f10213243',
        accountId: exampleIds.accountId,
        type: 'PAYOUT_PAID',
        available: '0.00',
        reserved: '-7.25',
        blocked: '0.00',
        orderId: exampleIds.payoutId,
        endToEndId: shownPayout.endToEndId,
        counterparty: mariaAtBank,
        createdAt: exampleTimes.paid,
        proof: {
          version: 1,
          position: 42,
          minute: '2026-01-15T12:05',
          previous: 'd706b8d010f59cbb25c9e6f50a5399a62676d9c62bab63019d05c82ee60b81fe',
          hash: '0b3c6d5f9b1f5d4cf1b1f4b8b6f4c8a0c2f7d5e1a9b8c7d6e5f4a3b2c1d0e9f8',
        },
      },
    ],
  },
} satisfies z.output<typeof PaymentCertificate>;

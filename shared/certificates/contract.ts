import * as z from 'zod';
import { LedgerEntryRecord } from '../accounts/contract.ts';
import { Amount, Decimal } from '../contract/amount.ts';
import { Counterpart, OwnerBank } from '../contract/notification.ts';
import { ClientOf, EndToEndId, ErrorMessage, ShownDescription, ShownExternalId } from '../contract/references.ts';
import { Id, Timestamp } from '../contract/text.ts';
import { PaymentMethod } from '../payouts/contract.ts';

const outcomes = ['CARRIED_OUT', 'CARRIED_OUT_IN_PART', 'NOT_CARRIED_OUT', 'NOT_KNOWN'] as const;
const Outcome = z.enum(outcomes).meta({
  description:
    '`CARRIED_OUT`: the bank paid all of it. `CARRIED_OUT_IN_PART`: of a batch some payments were made, and no other will be. ' +
    '`NOT_CARRIED_OUT`: nothing was paid, nor will be. `NOT_KNOWN`: the bank has not decided, or its decision has not arrived.',
});
export type CertifiedOutcome = z.output<typeof Outcome>;

const verdicts = ['ACCEPTED', 'NOT_KNOWN', ...outcomes.slice(0, 3)] as const;

export const CertifiedRequest = z
  .strictObject({
    at: Timestamp.meta({ description: 'When the service accepted the request, and reserved the money.' }),
    clientId: ClientOf.optional().meta({ description: 'The client of yours, by its client id, that asked for it.' }),
    idempotencyKey: z
      .string()
      .optional()
      .meta({ description: 'The idempotency key of the request.', examples: ['7d1a3b52-payout'] }),
    fingerprint: z
      .string()
      .regex(/^[0-9a-f]{64}$/u)
      .optional()
      .meta({
        description: 'SHA-256 of the normalised request, hexadecimal.',
        examples: ['6e1b4bd7c0c2a1be0b1a0f7f1c9f0f5ad1f0f7a8c5f2f4f4c1a7f6a3d1e8b920'],
      }),
  })
  .meta({ description: 'The request; a return that the bank made by itself has only its time.' });

export const CertifiedSubmission = z
  .strictObject({
    at: Timestamp.meta({ description: 'When the service began to submit it, or to look it up before another try.' }),
    verdict: z.enum(verdicts).meta({
      description:
        '`ACCEPTED`: the bank has it. `NOT_KNOWN`: no answer to this try is kept; it may have reached the bank, which pays one ' +
        'reference once. The last try has the outcome, once that is known.',
    }),
  })
  .meta({ description: 'One submission to the bank.' });

export const CertifiedPayment = z
  .strictObject({
    sequence: z
      .int()
      .min(1)
      .meta({ description: 'Its place in the batch, from 1.', examples: [1] }),
    amount: Decimal,
    outcome: Outcome,
    since: Timestamp.meta({ description: 'Since when that is so.' }),
    endToEndId: EndToEndId.optional(),
    errorMessage: ErrorMessage.optional(),
  })
  .meta({ description: 'One payment of a batch.' });

export const CertificatePayload = z
  .strictObject({
    version: z.int().meta({ description: 'Version of this object.', examples: [1] }),
    issuedAt: Timestamp.meta({ description: 'What it says was so at this time.' }),
    kind: z.enum(['PAYOUT', 'REFUND']).meta({ description: 'What it certifies.' }),
    id: z.string().meta({
      description: 'The payout, or the refund.',
      examples: ['d2c1b0a9-8f7e-4d6c-9b5a-493827160500'],
    }),
    externalId: ShownExternalId.optional().meta({
      description: 'Your own identifier of the payout, or of the pay-in that is refunded.',
    }),
    orderId: Id.meta({ description: 'The payout, or the pay-in that is refunded: the `orderId` of its entries.' }),
    accountId: Id.meta({ description: 'The account that pays.' }),
    paymentMethod: PaymentMethod,
    amount: Amount,
    description: ShownDescription.optional(),
    request: CertifiedRequest,
    payer: OwnerBank,
    receiver: Counterpart,
    submissionsCount: z
      .int()
      .min(0)
      .meta({ description: 'How often it was submitted; 0 for a TED that waits for its hours.', examples: [1] }),
    submissions: z.array(CertifiedSubmission).meta({ description: 'The first one and the last four.' }),
    outcome: Outcome,
    since: Timestamp.meta({
      description: 'Since when that is so: of a payment the time of the bank. `NOT_KNOWN`: since the first submission.',
    }),
    errorMessage: ErrorMessage.optional(),
    endToEndId: EndToEndId.optional().meta({ description: 'PIX; of a refund `D…`; of a batch see `payments`.' }),
    controlNumber: z
      .string()
      .optional()
      .meta({ description: 'TED: `NumCtrlSTR`.', examples: ['STR20260115000000042'] }),
    payments: z.array(CertifiedPayment).optional().meta({ description: 'Of a batch: its payments, in their order.' }),
    debits: z.array(LedgerEntryRecord).meta({
      description:
        'The entries that took the money out of the account: one, of a batch one for each time at which payments were made. ' +
        'Together they are what was paid. Each has its `proof` once its minute is closed. Empty where nothing was paid.',
    }),
    returnedAmount: Amount.optional().meta({
      description: 'What came back after it was paid: the entries `PAYOUT_RETURNED_LATE`.',
    }),
  })
  .meta({ description: 'What is certified of a payment.' });

/** The receipt for people, by the value of the query parameter `format`. */
export const receiptFiles = { html: 'text/html; charset=utf-8' } as const;

export const CertificateFormat = z
  .enum(['json', 'html'])
  .optional()
  .meta({
    description: '`html`: the receipt (comprovante) for people, in Portuguese, as a page to show or to print.',
    openapi: { default: 'json' },
  });

export const PaymentCertificate = z
  .strictObject({
    certificate: z.string().meta({
      description:
        'Compact JWS (RFC 7515) of `payload`, `ES256`, `typ` `payment-certificate+jws`. Its header has the public key; `kid` is ' +
        'the thumbprint of the key (RFC 7638).',
      examples: ['eyJhbGciOiJFUzI1NiJ9.eyJ2ZXJzaW9uIjoxfQ.c2lnbmF0dXJl'],
    }),
    payload: CertificatePayload,
  })
  .meta({ description: 'A signed account of what became of a payment.' });

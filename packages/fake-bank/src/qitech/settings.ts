import * as z from 'zod';

/**
 * What the bank's pages leave open, or say in two ways. A client must survive each value of each setting; the defaults
 * are what the pages show, where they show one.
 */
export const Settings = z.strictObject({
  /** Spelling of the path in a request's signature; the pages show no path with a query or with an escape. */
  signedUri: z.enum(['AS_SENT', 'PATH', 'DECODED_PATH', 'ANY']).default('ANY'),
  /** Bytes whose MD5 a `GET` has: the sample takes `{}`, the text beside it says “an empty payload”. */
  emptyPayload: z.enum(['BRACES', 'NOTHING', 'ANY']).default('BRACES'),
  /** Whether responses are signed: one page says so, none shows how. */
  signsResponses: z.boolean().default(true),
  /** What a command with a used `request_control_key` gets: an error, the first answer, or a second payment. */
  repeatedKey: z.enum(['REFUSED', 'FIRST_ANSWER', 'PAID_AGAIN']).default('REFUSED'),
  /** Answer to a new Pix: 201 `sent`, 202 `pending`, or 4xx that shows a `rejected` transfer. */
  pixAnswer: z.enum(['SENT', 'PENDING', 'REJECTED']).default('PENDING'),
  /** Answer to a new TED, always 201. */
  tedAnswer: z.enum(['SENT', 'PENDING', 'REJECTED']).default('PENDING'),
  reversalAnswer: z.enum(['SENT', 'PENDING']).default('PENDING'),
  /** Whether a Pix that was answered with 201 also has a webhook; the page names it for pending ones. */
  webhookOfSent: z.boolean().default(false),
  /** Whether a Pix that was rejected at once is in lists. */
  rejectedIsListed: z.boolean().default(true),
  /** Whether a payment above the balance is an error alone, or a rejected transfer. */
  lowBalance: z.enum(['REFUSED', 'REJECTED']).default('REFUSED'),
  /** `ted_status` in the webhook of a TED that came back: `rejected` by the text, `sent` in its example. */
  tedCameBackAs: z.enum(['rejected', 'returned', 'sent']).default('rejected'),
  /** Refuses a TED outside 7:00 to 17:00 of a weekday; the page of two factors names these hours. */
  tedHours: z.boolean().default(false),
  /** Answer about an unknown key: 404, 422 as on an older page, or 200 with `exists: false` as on the oldest. */
  unknownKey: z.enum(['NOT_FOUND', 'UNPROCESSABLE', 'ABSENT']).default('NOT_FOUND'),
  /** Whether the directory shows the owner's account: one of two versions of the page does. */
  directoryShowsAccount: z.boolean().default(false),
  /** HTTP status of a list of Pix: the page says 201. */
  listStatus: z.union([z.literal(200), z.literal(201)]).default(201),
  /** `rejection_reason` of a transfer. */
  rejectionReason: z.enum(['OBJECT', 'TEXT']).default('OBJECT'),
  /** Member with the amount in the answer to a refund: the example has one, the table the other. */
  reversalAmount: z.enum(['transaction_amount', 'transfer_amount']).default('transaction_amount'),
  /** `end_to_end_id` in the answer to a refund: its own id (`D…`), or that of the payment (`E…`) as in the example. */
  reversalEndToEndId: z.enum(['OWN', 'PAYMENT']).default('OWN'),
  /** Whether the end of a pending refund has a webhook. */
  reversalWebhook: z.boolean().default(true),
  /** Sign of a debit in the statement. */
  debits: z.enum(['NEGATIVE', 'POSITIVE']).default('NEGATIVE'),
  /** Zone of times without one, and of the days of lists. */
  zone: z.enum(['UTC', 'BRASILIA']).default('UTC'),
  /** Whether `balance` holds what is blocked. */
  balanceHoldsBlocked: z.boolean().default(true),
});

export type Settings = z.output<typeof Settings>;

import * as z from 'zod';
import { centsOfReais } from '../amounts.ts';
import { invalidPayload } from './refusals.ts';

// Shapes of request bodies, with the lengths of the bank's tables. Members that they do not name are ignored.

/** A number of reais, read as centavos. */
const amount = z
  .number()
  .positive()
  .transform((value, context) => {
    const centavos = centsOfReais(value);
    if (centavos !== undefined && String(value).length <= 10) return centavos;
    context.addIssue('must be a positive value with at most 2 decimal places and 10 characters');
    return z.NEVER;
  });
const controlKey = z.uuidv4();
const party = {
  account_branch: z.string().regex(/^\d{1,6}$/u),
  account_digit: z.string().length(1),
  account_number: z.string().min(1).max(20),
  owner_document_number: z.string().regex(/^(?:\d{11}|[0-9A-Z]{12}\d{2})$/u),
  ispb: z.string().regex(/^[0-9A-Z]{8}$/u),
};
const transfer = {
  request_control_key: controlKey,
  transaction_amount: amount,
  pix_message: z.string().max(140).exactOptional(),
};

export const PixTransferRequest = z.discriminatedUnion('pix_transfer_type', [
  z.object({
    pix_transfer_type: z.literal('key'),
    target_pix_key: z.string().min(1).max(100),
    end_to_end_id: z.string().length(32),
    ...transfer,
  }),
  z.object({
    pix_transfer_type: z.literal('manual'),
    target_account: z.object({
      ...party,
      owner_name: z.string().min(1).max(150),
      account_type: z.enum(['checking_account', 'salary_account', 'saving_account', 'payment_account']),
    }),
    ...transfer,
  }),
]);

export const TedRequest = z.object({
  request_control_key: controlKey,
  target_account: z.object({
    ...party,
    account_branch: z.string().regex(/^\d{1,4}$/u),
    owner_name: z.string().min(1).max(50),
    account_type: z.enum([
      ...['checking_account', 'deposit_account', 'guaranteed_account', 'investment_account'],
      ...['payment_account', 'saving_account'],
    ] as const),
  }),
  transaction_amount: amount,
});

export const ReversalRequest = z.object({
  request_control_key: controlKey,
  reversal_amount: amount,
  reversal_reason: z.enum(['client_request', 'reconciliation']),
  reversal_message: z.string().max(140).exactOptional(),
});

/** Reads a body of a shape. @throws Refusal 400. */
export function readBody<T extends z.ZodType>(shape: T, body: unknown): z.output<T> {
  const read = shape.safeParse(body);
  if (!read.success) throw invalidPayload(z.prettifyError(read.error));
  return read.data;
}

import * as z from 'zod';
import { EndToEndId, ReturnId, Time } from '#shared/bank/ports/shapes.ts';
import { Reais, SignedReais } from './json.ts';

/*
 * Answers of the bank, as far as they are read. It may add members (its pages say so of webhooks), and writes `null`
 * for what it does not know.
 */

const Key = z.guid();

/**
 * A part of a Pix that went back, shown with the Pix (`reversals`): of a sent one what came back, of a received one our
 * refunds.
 */
const ShownReversal = z.object({
  request_control_key: Key.nullish(),
  end_to_end_id: ReturnId,
  transfer_amount: Reais,
  pix_transfer_status: z.string(),
  created_at: Time.nullish(),
});

export type ShownReversal = z.output<typeof ShownReversal>;

/** Why a Pix was rejected: a text, or the members that its webhook has. It decides nothing. */
const Rejection = z.union([
  z.string().transform((text): Partial<Record<'error_code' | 'error_translation', string>> => ({
    error_translation: text,
  })),
  z.object({ error_code: z.string(), error_translation: z.string() }).partial(),
]);

/** A sent Pix: the answer to its request has its key and status, a list has everything. */
export const SentPixBody = z.object({
  request_control_key: Key,
  account_key: Key.nullish(),
  pix_transfer_status: z.string(),
  created_at: Time,
  updated_at: Time.nullish(),
  end_to_end_id: EndToEndId.nullish(),
  transfer_amount: Reais.nullish(),
  fee_amount: SignedReais.nullish(),
  error_code: z.string().nullish(),
  error_translation: z.string().nullish(),
  rejection_reason: Rejection.nullish().catch(undefined),
  reversals: z.array(ShownReversal).nullish(),
});
export type SentPixBody = z.output<typeof SentPixBody>;

/** A sent TED. */
export const TedBody = z.object({
  request_control_key: Key,
  account_key: Key.nullish(),
  ted_status: z.string(),
  created_at: Time,
  transaction_amount: Reais.nullish(),
  fee_amount: SignedReais.nullish(),
  /** Reason by the BCB's table; an empty object for a TED that was not rejected. */
  refusal_reason: z.object({ enumerator: z.string(), description: z.string() }).partial().nullish(),
});
export type TedBody = z.output<typeof TedBody>;

/** A received Pix in the list. The payer's document is masked. */
export const ReceivedPixBody = z.object({
  pix_transfer_key: Key.nullish(),
  end_to_end_id: EndToEndId,
  account_key: Key.nullish(),
  pix_transfer_status: z.string(),
  transfer_amount: Reais,
  created_at: Time,
  fee_amount: SignedReais.nullish(),
  reversals: z.array(ShownReversal).nullish(),
});
export type ReceivedPixBody = z.output<typeof ReceivedPixBody>;

/** A page of a list: nothing says how many there are. */
export const Page = z.object({ data: z.array(z.unknown()) });

/** The owner of a key. `is_pix_key_owner`: whether the document in the question is the owner's. */
export const KeyBody = z.object({
  pix_key: z.string(),
  owner_name: z.string().trim().min(1),
  is_pix_key_owner: z.boolean(),
  end_to_end_id: EndToEndId,
});

export const AccountBody = z.object({ account_key: Key, balance: SignedReais, blocked_balance: SignedReais });

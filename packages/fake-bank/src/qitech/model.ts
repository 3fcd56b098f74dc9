import type { Instant } from '../time.ts';
import type { Settings } from './settings.ts';

/** Records of the archive, by kind. Members have the names of the bank's API; amounts are centavos. */
export type Kinds = {
  /** Clients by their `API-CLIENT-KEY`. */
  readonly client: Client;
  readonly settings: Settings;
  /** Pix keys whose owner or state was set, by key. */
  readonly key: DirectoryKey;
  readonly account: Account;
  /** Questions to the directory, by the end-to-end id that they gave. */
  readonly inquiry: Inquiry;
  readonly transfer: Transfer;
  readonly received: Received;
  readonly reversal: Reversal;
  readonly ted: Ted;
  readonly entry: Entry;
};

/** An integration of a company with the bank. */
export type Client = {
  readonly api_client_key: string;
  /** PEM, SPKI. */
  readonly public_key: string;
  /** Address of its webhooks; empty: none. */
  readonly webhook_url: string;
  readonly clockAheadMs: number;
  readonly account_keys: readonly string[];
};

export type Account = {
  readonly account_key: string;
  readonly account_branch: string;
  readonly account_number: string;
  readonly account_digit: string;
  readonly account_status: 'opened' | 'closed' | 'blocked';
  readonly owner_document_number: string;
  readonly owner_name: string;
  readonly owner_person_key: string;
  readonly created_at: Instant;
  readonly pix_keys: readonly string[];
  readonly balance: number;
  /** Part of the balance that is held back. */
  readonly blocked: number;
};

/** An account of a payment. */
export type Party = {
  readonly account_branch: string;
  readonly account_number: string;
  readonly account_digit: string;
  readonly account_type: string;
  readonly owner_document_number: string;
  readonly owner_name: string;
  readonly ispb: string;
};

/** A key whose owner or state was set; a payment to a `BLOCKED` one is rejected. */
type DirectoryKey = Party & { readonly state: 'FOUND' | 'UNKNOWN' | 'BLOCKED' };

type Inquiry = { readonly end_to_end_id: string; readonly pix_key: string; readonly isUsed: boolean };

/** Why a transfer is rejected. */
export type Rejection = {
  readonly error_code: string;
  readonly error_description: string;
  readonly error_translation: string;
};

type Status = 'sent' | 'pending' | 'rejected';

/** A Pix that the client sends. */
export type Transfer = {
  readonly pix_transfer_key: string;
  readonly request_control_key: string;
  readonly account_key: string;
  readonly pix_transfer_type: 'key' | 'manual';
  readonly pix_transfer_status: Status;
  readonly amount: number;
  readonly target: Party;
  readonly pix_key?: string;
  readonly pix_message?: string;
  readonly end_to_end_id: string;
  /** Key of its debit in the statement; absent when none was made. */
  readonly transaction_key?: string;
  readonly rejection?: Rejection;
  /** Parts that its receiver sent back, by keys of received Pix. */
  readonly returns: readonly string[];
  readonly created_at: Instant;
  readonly updated_at: Instant;
};

/** A Pix that came, or a part of a sent one that came back. */
export type Received = {
  readonly pix_transfer_key: string;
  readonly account_key: string;
  readonly pix_transfer_type: 'key' | 'manual' | 'reversal';
  readonly amount: number;
  readonly source: Party;
  readonly pix_key?: string;
  readonly pix_message?: string;
  readonly end_to_end_id: string;
  readonly transaction_key: string;
  /** Key of the sent Pix that came back. */
  readonly original?: string;
  readonly created_at: Instant;
};

/** A part of a received Pix that the client sends back. */
export type Reversal = {
  readonly pix_transfer_key: string;
  readonly request_control_key: string;
  readonly account_key: string;
  /** Key of the received Pix. */
  readonly received: string;
  readonly amount: number;
  readonly reversal_status: Status;
  readonly reversal_reason: 'client_request' | 'reconciliation';
  readonly reversal_message?: string;
  readonly end_to_end_id: string;
  readonly transaction_key: string;
  readonly created_at: Instant;
};

/** Why a TED came back or was rejected, as the STR gives it. */
export type RefusalReason = {
  readonly refusal_code: number;
  readonly enumerator: string;
  readonly description: string;
};

/** A TED that the client sends. */
export type Ted = {
  readonly ted_key: string;
  readonly request_control_key: string;
  readonly account_key: string;
  readonly ted_status: Status;
  readonly amount: number;
  readonly target: Party;
  readonly transaction_key?: string;
  readonly refusal_reason?: RefusalReason;
  readonly created_at: Instant;
};

/** A line of the statement of an account. */
export type Entry = {
  readonly transaction_key: string;
  readonly account_key: string;
  /** Negative: a debit. */
  readonly amount: number;
  /** Balance after it. */
  readonly account_balance: number;
  readonly subtype: 'pix' | 'pix_reversal' | 'ted';
  /** Key of what moved the money. */
  readonly origin_key: string;
  readonly payer: Party;
  readonly receiver: Party;
  readonly at: Instant;
};

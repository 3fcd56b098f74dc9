import { bankAccountTypes } from '#shared/accounts/model.ts';
import type { Capabilities } from '#shared/bank/capabilities.ts';

/**
 * Capabilities of QI Tech, as its published pages describe its payouts, TED, look-up of keys and Pix Automático
 * (docs.qitech.com.br, "Banking as a Service"). It makes the retries of a recurring charge by itself. Its pages do not
 * show how a key that needs a code is confirmed.
 */
export const published: Omit<Capabilities, 'repetition' | 'isPolled' | 'settlementDriver' | 'balance'> = {
  charges: true,
  refunds: true,
  claims: true,
  recurrences: true,
  payouts: {
    byKey: true,
    staticCode: true,
    dynamicCode: true,
    dynamicCodeInParts: false,
    accountTypes: bankAccountTypes,
    ted: true,
    tedAccountTypes: ['CHECKING_ACCOUNT', 'SAVINGS_ACCOUNT', 'PAYMENT_ACCOUNT'],
    cancel: false,
  },
  keys: ['CNPJ', 'RANDOM'],
  keyLookup: 'MASKED',
  retryOwner: 'bank',
};

/** What the dialect does of it now. */
export const capabilities: Capabilities = {
  ...published,
  charges: false,
  claims: false,
  recurrences: false,
  payouts: { ...published.payouts, staticCode: false, dynamicCode: false },
  keys: [],
  balance: true,
  repetition: {
    // Not given to this bank.
    defence: 'CARRIED_OUT_AGAIN',
    key: 'CARRIED_OUT_AGAIN',
    recurrence: 'CARRIED_OUT_AGAIN',
    recurrenceCancellation: 'CARRIED_OUT_AGAIN',
    recurringCharge: 'CARRIED_OUT_AGAIN',
    // An end-to-end id is good for one payment, whether it succeeds or not.
    payout: 'REFUSED',
    // The pages do not say what a repeated `request_control_key` is answered.
    accountPayout: 'CARRIED_OUT_AGAIN',
    refund: 'CARRIED_OUT_AGAIN',
    ted: 'CARRIED_OUT_AGAIN',
  },
  isPolled: true,
  settlementDriver: 'bank',
};

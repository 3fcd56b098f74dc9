import { bankAccountTypes } from '#shared/accounts/model.ts';
import type { Capabilities } from '#shared/bank/capabilities.ts';

/**
 * Capabilities of QI Tech, as its published pages describe its payouts, TED, look-up of keys and Pix Automático
 * (docs.qitech.com.br, "Banking as a Service"). It makes the retries of a recurring charge by itself. Its pages do not
 * show how a key that needs a code is confirmed.
 */
export const capabilities: Omit<Capabilities, 'repetition' | 'isPolled' | 'settlementDriver' | 'balance'> = {
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
  keyLookup: 'FULL',
  retryOwner: 'bank',
};

import type { Capabilities } from '#shared/bank/capabilities.ts';

/** Capabilities of Efí: API Pix 2.9 and its own payouts. */
export const capabilities: Capabilities = {
  charges: true,
  refunds: true,
  recurrences: true,
  payouts: {
    byKey: true,
    staticCode: true,
    dynamicCode: true,
    dynamicCodeInParts: false,
    accountTypes: ['CHECKING_ACCOUNT', 'SAVINGS_ACCOUNT'],
    ted: false,
    cancel: false,
  },
  keyLookup: 'NONE',
  balance: true,
  retryOwner: 'bank',
  repetition: {
    refund: 'REFUSED',
    recurrence: 'REFUSED',
    recurrenceCancellation: 'REFUSED',
    recurringCharge: 'REFUSED',
    payout: 'REFUSED',
  },
  isPolled: true,
  settlementDriver: 'bank',
};

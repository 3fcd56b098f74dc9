import type { BankEventContext, BankEventOutcome } from './context.ts';
import { applyPix } from './credits.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';
import { applyPayout } from './payouts.ts';
import { applyRecurrence, applyRecurringCharge } from './recurring.ts';
import { applyReturn } from './returns.ts';

/**
 * Reads at the bank what it called about, and moves the company's resource by what the bank says then: a body moves
 * nothing.
 * @throws BankUnavailable when the bank does not say; StoreUnavailable
 */
export function applyBankEvent(context: BankEventContext, event: BankEvent): Promise<BankEventOutcome> {
  switch (event.kind) {
    case 'PIX':
      return applyPix(context, event);
    case 'RETURN':
      return applyReturn(context, event);
    case 'RECURRENCE':
      return applyRecurrence(context, event);
    case 'RECURRING_CHARGE':
      return applyRecurringCharge(context, event);
    case 'PAYOUT':
      return applyPayout(context, event);
  }
}

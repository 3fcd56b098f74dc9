import type { BankEventContext, BankEventOutcome } from './context.ts';
import { applyPix } from './credits.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';
import { applyPayout } from './payouts.ts';
import { applyRecurrence, applyRecurringCharge } from './recurring.ts';
import { applyReturn } from './returns.ts';

/**
 * Reads the resource of a bank event at the bank, and changes the company's resource by the bank's response. The body
 * of a callback changes nothing.
 * @throws BankUnavailable when the bank gives no usable response; StoreUnavailable
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

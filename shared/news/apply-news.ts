import type { NewsContext, NewsEnd } from './context.ts';
import { applyPix } from './credits.ts';
import type { News } from '#shared/bank/ports/bank-events.ts';
import { applyPayout } from './payouts.ts';
import { applyRecurrence, applyRecurringCharge } from './recurring.ts';
import { applyReturn } from './returns.ts';

/**
 * Reads at the bank what it called about, and moves the company's resource by what the bank says then: a body moves
 * nothing.
 * @throws BankUnavailable when the bank does not say; StoreUnavailable
 */
export function applyNews(context: NewsContext, news: News): Promise<NewsEnd> {
  switch (news.kind) {
    case 'PIX':
      return applyPix(context, news);
    case 'RETURN':
      return applyReturn(context, news);
    case 'RECURRENCE':
      return applyRecurrence(context, news);
    case 'RECURRING_CHARGE':
      return applyRecurringCharge(context, news);
    case 'PAYOUT':
      return applyPayout(context, news);
  }
}

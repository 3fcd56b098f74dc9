import { errorFields, log } from '../platform/log.ts';
import type { SweepContext } from './sweep.ts';
import { sweepPayments } from './sweep.ts';

/**
 * Cancels the open payments of a subscription within the request that canceled it, as far as one page; the worker goes
 * on.
 */
export async function beginSweep(context: Omit<SweepContext, 'mayGoOn'>, subscriptionId: string): Promise<void> {
  const { companyId, requestId } = context;
  let pages = 0;
  const mayGoOn = (): boolean => (pages += 1) === 1;
  try {
    await sweepPayments({ ...context, mayGoOn }, subscriptionId);
  } catch (error) {
    log('error', 'open payments not yet canceled', { companyId, requestId, subscriptionId, ...errorFields(error) });
  }
}

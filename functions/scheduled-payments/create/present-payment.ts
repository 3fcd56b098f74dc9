import type { RequestOf } from '#shared/contract/contract.ts';
import { forbiddenByState } from '#shared/core/errors.ts';
import type { ScheduledPayment } from '#shared/scheduled-payments/model.ts';
import { readCharge } from '#shared/scheduled-payments/store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { CreateScheduledPayment } from './contract.ts';

/**
 * The payment that has the external id already, as it is now, if the same request made it: a PUT is idempotent by
 * itself.
 * @throws Refusal 409 for another body, or another subscription.
 */
export async function presentPayment(
  store: Store,
  { caller, body, fingerprint }: RequestOf<typeof CreateScheduledPayment>,
  id: string,
): Promise<ScheduledPayment> {
  const charge = await readCharge(store, caller.companyId, id);
  if (charge === undefined) throw new Error('An external id names a scheduled payment that does not exist.');
  if (charge.terms.fingerprint !== fingerprint)
    throw forbiddenByState(
      'externalId',
      'ALREADY_EXISTS',
      `Another scheduled payment has the externalId ${body.externalId}.`,
    );
  return charge.payment;
}

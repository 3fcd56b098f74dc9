import type { Claim, Delivery } from '#shared/platform/outbox/delivery.ts';
import type { EndpointLine } from '../health/admission.ts';
import { beginSlowCall } from '../health/concurrency-limit.ts';
import { newLine } from '#shared/platform/outbox/backlog.ts';
import { writeLine } from '../health/store.ts';
import { errorFields, log } from '#shared/platform/log.ts';
import type { DeliverDeps } from './deliver-deps.ts';

/**
 * Workers register at the same time, but no more of them than make the endpoint busy; then nothing is left to write.
 */
const tries = 5;

/**
 * Writes in the endpoint's line that a call of it takes long: one write, for slow calls alone. The entry ends with the
 * claim's lease, so that a worker that dies leaves nothing behind. Never throws: the call goes on, and a slow call that
 * is not registered stops nobody.
 *
 * @returns the line as it is afterwards, if there is one
 */
export async function registerSlowCall(
  { delivery, claim, line }: { readonly delivery: Delivery; readonly claim: Claim; readonly line: EndpointLine },
  deps: DeliverDeps,
): Promise<EndpointLine> {
  const { companyId, id: deliveryId, endpoint } = delivery;
  let present = line.line;
  try {
    for (let attempt = 1; attempt <= tries; attempt += 1) {
      const now = deps.now();
      const known = present ?? newLine(companyId, line.name, endpoint);
      const next = beginSlowCall(known, { deliveryId, until: claim.leaseUntil }, now);
      if (next === undefined) break;
      const written = await writeLine(deps.store, next, now);
      if (written.ok) return { ...line, line: next };
      present = written.present;
    }
  } catch (error) {
    log('warn', 'slow call not registered', { companyId, ...errorFields(error) });
  }
  return { ...line, line: present };
}

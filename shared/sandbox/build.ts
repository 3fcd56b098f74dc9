import { keptCodeWrite } from './kept-codes.ts';
import type * as production from '../platform/no-sandbox.ts';
import type { Store } from '../platform/table/store.ts';

/*
 * What every build but production's enters the sandbox by: `#sandbox` with the condition `simulation`. Each export has
 * its other half in platform/no-sandbox.ts.
 */
export { dependenciesOf, dueInRealTime } from './simulated-time.ts';
export { answerCaller } from './simulated-faults.ts';

/** Keeps the last message of a validation for a day. @param sent with its time by the machine's clock */
export async function keepSentCode(
  store: Store,
  companyId: string,
  sent: Parameters<typeof keptCodeWrite>[1],
): Promise<void> {
  await store.writeOne(keptCodeWrite(companyId, sent));
}

/** What it "sends" can only be read by the simulation tool. */
export const outbox: NonNullable<typeof production.outbox> = () => Promise.resolve({ outcome: 'KEPT' });

import * as z from 'zod';
import type { LocalDate } from '../core/brasilia-time.ts';
import type { ChargeTerms } from './model.ts';
import type { CycleCharge, CycleEnd } from './attempts.ts';
import { replaceableStates } from './attempts.ts';
import { keys } from '../platform/table/keys.ts';
import { StoredCentavos } from '../platform/ledger/ledger.ts';
import type { ItemMembers, Members } from '../platform/table/parse.ts';
import { parseItem } from '../platform/table/parse.ts';
import type { Put, Store, Write } from '../platform/table/store.ts';

const CycleItem = z.object({
  entity: z.literal('PAYMENT_CYCLE'),
  firstAttemptId: z.string(),
  firstSettlementDate: z.string(),
  amount: StoredCentavos,
  state: z.enum(['TAKEN', 'FAILED', 'UNPAID']),
  newAttempts: z.array(
    z.object({ id: z.string(), settlementDate: z.string() } satisfies Members<CycleCharge['newAttempts'][number]>),
  ),
  version: z.int(),
} satisfies ItemMembers<CycleCharge>);

/** A cycle of a subscription by its first day. */
type CycleName = { readonly subscriptionId: string; readonly cycle: LocalDate };

/** One read. Undefined when the cycle has no charge, or one that was refused or canceled. @throws CorruptItem */
export async function readCycle(
  store: Store,
  companyId: string,
  { subscriptionId, cycle }: CycleName,
): Promise<CycleCharge | undefined> {
  const [item] = await store.read([keys.paymentCycle(companyId, subscriptionId, cycle)]);
  if (item === undefined) return undefined;
  const { entity: _entity, ...charge } = parseItem(CycleItem, item, 'payment cycle');
  return charge;
}

/** A first attempt takes its cycle, where none is live: of two at once one fails. */
export function cycleInsert(companyId: string, name: CycleName, charge: CycleCharge): Put {
  const replaceable = replaceableStates.map((state) => ({ equals: { state } }));
  return { put: cycleItem(companyId, name, charge), when: { any: [{ is: 'absent' }, ...replaceable] } };
}

/** A new attempt takes the cycle of its first one, if it is as the decision found it. */
export function cycleUpdate(companyId: string, name: CycleName, charge: CycleCharge): Put {
  const { firstAttemptId, version } = charge;
  return { put: cycleItem(companyId, name, charge), when: { equals: { firstAttemptId, version: version - 1 } } };
}

/** The charge of a cycle ended unpaid: from now on the next attempt may be made. */
export function cycleEndWrite(companyId: string, terms: ChargeTerms, end: CycleEnd): Write {
  const { subscription, cycle, firstAttemptId } = terms;
  const key = keys.paymentCycle(companyId, subscription.id, cycle);
  const when = { equals: { firstAttemptId, state: 'TAKEN' } };
  return end === 'FREE' ? { delete: key, when } : { update: key, set: { state: end }, add: { version: 1 }, when };
}

function cycleItem(companyId: string, { subscriptionId, cycle }: CycleName, charge: CycleCharge): Put['put'] {
  return { ...keys.paymentCycle(companyId, subscriptionId, cycle), entity: 'PAYMENT_CYCLE', ...charge };
}

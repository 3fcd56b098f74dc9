import { pick } from '../core/pick.ts';
import { endToEndAttributes, keys, resourceListAttributes } from '../platform/table/keys.ts';
import type { Listed } from '../platform/table/list-kinds.ts';
import type { Store, Update } from '../platform/table/store.ts';
import type { BatchPayment, Payout, PayoutWithPayments } from './model.ts';

/** Attributes by which a payment of a batch is found by its end-to-end id. */
export function endToEndIdAttributes(
  companyId: string,
  endToEndId: string | undefined,
  listed: Listed,
): Record<string, string> {
  if (endToEndId === undefined) return {};
  const { GSI2SK } = resourceListAttributes(companyId, 'PAYOUT', listed);
  return { GSI2SK, ...endToEndAttributes(companyId, endToEndId) };
}

/** Makes a payout that was not split findable by its end-to-end id, in the item of its external id. */
export function endToEndIdOfWhole(
  companyId: string,
  { externalId, endToEndId }: Pick<Payout, 'externalId' | 'endToEndId'>,
): readonly Update[] {
  if (endToEndId === undefined) return [];
  const update = keys.unique(companyId, 'PAYOUT', externalId);
  return [{ update, set: endToEndAttributes(companyId, endToEndId), when: { is: 'present' } }];
}

/** Writes end-to-end ids that the bank gave after the creation. `sequence`: the place of a payment in its batch. */
export function lateEndToEndIdUpdates(
  companyId: string,
  { payout }: PayoutWithPayments,
  lateEndToEndIds: readonly { readonly sequence?: number; readonly state: { readonly endToEndId?: string } }[],
): readonly Update[] {
  const { id, externalId } = payout;
  return lateEndToEndIds.flatMap(({ sequence, state }): readonly Update[] => {
    const set = pick(state, 'endToEndId');
    const when = { lacks: 'endToEndId' };
    const own = { update: keys.order(companyId, id), set, add: { version: 1 }, when };
    if (sequence === undefined) return [own, ...endToEndIdOfWhole(companyId, { ...set, externalId })];
    const child = { ...set, ...endToEndIdAttributes(companyId, state.endToEndId, payout) };
    // A batch shows the end-to-end id of its first payment.
    return [{ update: keys.payoutChild(companyId, id, sequence), set: child, when }, ...(sequence === 1 ? [own] : [])];
  });
}

/**
 * Returns the payout as its first response shows it. That response never gets end-to-end ids that the bank gave later,
 * so that a replay has the same bytes. Costs nothing when the bank gives them immediately.
 * @param read reads the payout again
 */
export async function settleFirstResponse(
  store: Store,
  companyId: string,
  found: PayoutWithPayments,
  read: () => Promise<PayoutWithPayments>,
): Promise<PayoutWithPayments> {
  let order = found;
  for (;;) {
    const writes = unsettledEndToEndIds(companyId, order);
    if (writes.length === 0) return order;
    await store.write(writes, crypto.randomUUID());
    order = await read();
  }
}

function unsettledEndToEndIds(companyId: string, { payout, payments }: PayoutWithPayments): readonly Update[] {
  if (payout.paymentMethod !== 'PIX') return [];
  const isUnsettled = (payment: Payout | BatchPayment) =>
    payment.endToEndId === undefined && payment.endToEndIdIsLate === undefined;
  const late = { set: { endToEndIdIsLate: true }, when: { lacks: 'endToEndId' } };
  return [
    ...(isUnsettled(payout) ? [{ update: keys.order(companyId, payout.id), ...late }] : []),
    ...payments
      .filter(isUnsettled)
      .map(({ sequence }) => ({ update: keys.payoutChild(companyId, payout.id, sequence), ...late })),
  ];
}

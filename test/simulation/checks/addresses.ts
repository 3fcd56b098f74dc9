import { createHash } from 'node:crypto';
import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import type { Item } from '#shared/platform/table/store.ts';
import { beginsAt } from '#test/model/bank-books.ts';
import type { Actor } from '../world/actors.ts';
import type { Finding } from '../world/history.ts';
import type { Change } from '../world/table.ts';

/** A claim is written so long after its worker read the address, beside what its process stands still, milliseconds. */
const readBeforeMs = 20_000;

/** An address that a subscription has, or had until then. */
type Stay = { readonly address: string; leftMs: number };
type Waiting = Pick<Delivery, 'resource' | 'backlog'>;

/**
 * Where the notifications of each subscription may go, by the commits of subscriptions alone: no call begins to an
 * address that was left before its worker can have read it.
 */
export function addressChecks(finding: Finding, nowMs: () => number, moved: (subscriptionId: string) => void) {
  const stays = new Map<string, Stay[]>();
  /** The subscription of a scheduled payment. */
  const owners = new Map<string, string>();
  const subscriptionOf = ({ resource: { type, id } }: Waiting): string | undefined =>
    type === 'SUBSCRIPTION' ? id : type === 'SCHEDULED_PAYMENT' ? owners.get(id) : undefined;

  const move = (id: string, address: string): void => {
    const known = stays.get(id) ?? [];
    const current = known.at(-1);
    if (current?.address === address) return;
    if (current !== undefined) current.leftMs = nowMs();
    stays.set(id, [...known, { address, leftMs: Infinity }]);
    if (current !== undefined) moved(id);
  };
  const checkClaim = ({ before, after }: Change, actor: Actor | undefined): void => {
    if (after?.['entity'] !== 'DELIVERY') return;
    const delivery = parseDelivery(after);
    const { id, claim, endpoint } = delivery;
    if (claim === undefined || (before && parseDelivery(before).claim?.id === claim.id)) return;
    const known = stays.get(subscriptionOf(delivery) ?? '');
    if (known === undefined) return;
    const leftMs = known.findLast(({ address }) => address === endpoint)?.leftMs ?? -Infinity;
    const lateMs = nowMs() - leftMs - readBeforeMs - (actor?.stoodStillMs ?? 0);
    if (lateMs > 0)
      finding(
        'a call goes to the current address',
        `delivery ${id}: ${actor?.name ?? 'no invocation'} calls ${endpoint ?? 'none'} ${lateMs} ms too late; addresses: ${JSON.stringify(known)}`,
        [id, delivery.companyId],
      );
  };
  return {
    committed: (changes: readonly Change[], actor: Actor | undefined): void => {
      for (const { after } of changes) {
        if (after?.['entity'] === 'SUBSCRIPTION') move(textOf(after, 'id'), textOf(after, 'webhookUrl'));
        if (after?.['entity'] === 'SCHEDULED_PAYMENT') owners.set(textOf(after, 'id'), textOf(after, 'subscriptionId'));
      }
      for (const change of changes) checkClaim(change, actor);
    },
    subscriptionOf,
    /** When the subscription of a delivery left the address, or the origin, in whose backlog it waits; mostly never. */
    leftMs: (delivery: Waiting): number | undefined => {
      const { backlog = '' } = delivery;
      const known = stays.get(subscriptionOf(delivery) ?? '') ?? [];
      if (!/^(address|origin):/u.test(backlog)) return undefined;
      const last = known.findLast(({ address }) => namesOf(address).includes(backlog));
      const leftMs = last?.leftMs ?? -Infinity;
      return leftMs === Infinity ? undefined : leftMs;
    },
    /** Whether the subscription of a notification has had another address since then. */
    hasMovedSince: (delivery: Waiting, instant: string): boolean =>
      (stays.get(subscriptionOf(delivery) ?? '') ?? []).some(
        ({ leftMs }) => leftMs !== Infinity && beginsAt + leftMs >= Date.parse(instant),
      ),
  };
}

function textOf(item: Item, name: string): string {
  const value = item[name];
  return typeof value === 'string' ? value : '';
}

/** The backlogs of an address: its own, and that of its origin (docs/decisions/015). */
function namesOf(address: string): readonly string[] {
  const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
  return [`address:${hashOf(address)}`, `origin:${hashOf(new URL(address).origin)}`];
}

import { reconcile } from '#infra/operator/reconciliation/reconcile.ts';
import { isUndecided } from '#shared/disputes/model.ts';
import { parseDispute } from '#shared/disputes/store.ts';
import { isCompanyTimeKind } from '#shared/platform/jobs/due-kinds.ts';
import { companyOf } from '#shared/platform/company.ts';
import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import type { Item } from '#shared/platform/table/store.ts';
import { isOpen, maxCountedFailures, webhookIdOf } from '#shared/platform/outbox/delivery.ts';
import { parseHealth } from '#shared/webhooks/health/store.ts';
import { countedFailures } from '#shared/webhooks/deliveries/states.ts';
import { parseDeliveryMessage } from '#shared/webhooks/dispatch/queue.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import type { Taken } from '../world/receivers.ts';
import { beginsAt, instantOf } from '#test/model/bank-books.ts';
import { checkEnd } from '#test/model/bank-checks.ts';
import { checkRecurring, collectedBy } from '#test/model/bank-recurrence-checks.ts';
import { accountBalances } from '#test/support/account-balances.ts';
import { chainErrors } from '#test/support/chain-check.ts';
import { payloadOf, rootErrors } from '#test/support/root-check.ts';
import { bucketObjects } from '../fakes/s3.ts';
import type { Company } from '../crowd/world-types.ts';
import { idsIn } from './answers.ts';
import { checkCertificates } from './certificates.ts';
import { checkCosts } from './costs.ts';
import { checkKeys } from './keys.ts';
import { openMinute } from '../world/scheduler.ts';
import type { World } from '../world/world.ts';

/** No function runs longer. */
const longestRunMs = 900_000;
/** Work that is due later than this after the last moment is not expected to be done, milliseconds. */
const graceMs = 7_200_000;

/** What must hold when everything has long been quiet. */
export async function checkQuiet(world: World, companies: readonly Company[]): Promise<void> {
  const items = [...world.table.memory.all(), ...world.expiry.expired()];
  const byCompany = Map.groupBy(items, companyOf);
  for (const { companyId, kind } of companies) {
    const own = byCompany.get(companyId) ?? [];
    checkDeliveries(world, own);
    if (kind === 'BANK') checkBank(world, companyId, own);
    checkBlocked(world, own);
    checkKeys(world.finding, own, world.banks.of(companyId)?.keys ?? []);
    await compareBooks(world, companyId, own);
    await checkCertificates(world.finding, world.table.memory, companyId, own);
  }
  for (const text of chainErrors(items))
    world.finding('every entry of a statement is chained once, behind the one before it', text, idsIn(text));
  const kept = new Map([...bucketObjects.values()].map((jws) => [payloadOf(jws).payload.minute, jws]));
  for (const text of rootErrors(items, kept))
    world.finding('every chain is signed to its end, and each root is kept once', text, idsIn(text));
  checkDue(world);
  checkCosts(world.history.counts, world.finding);
  for (const { name, atMs } of world.actors.living)
    if (atMs < world.time.now() - longestRunMs) world.finding('every invocation ends', name, []);
}

/** Orders, recurrences and money are the bank's; each command was carried out once; each end was notified once. */
function checkBank(world: World, companyId: string, own: readonly Item[]): void {
  const bank = world.banks.of(companyId);
  if (bank === undefined) return;
  const { books, recurring } = bank;
  const unrepeatedItems = withoutRepeated(own);
  const problems = [
    ...checkEnd(unrepeatedItems, books, collectedBy(recurring)),
    ...checkRecurring(unrepeatedItems, books, recurring),
  ];
  for (const { check, text } of problems) world.finding(`bank and table agree: ${check}`, text, idsIn(text));
}

/** Of each account so much is blocked as its open disputes block. */
function checkBlocked({ finding }: World, own: readonly Item[]): void {
  const open = own.flatMap((item) => (item['entity'] === 'DISPUTE' ? [parseDispute(item)] : [])).filter(isUndecided);
  for (const { accountId, blocked } of accountBalances(own)) {
    const disputes = open.filter((dispute) => dispute.accountId === accountId);
    const held = disputes.reduce((sum, { blockedAmount }) => sum + blockedAmount, 0);
    if (blocked !== held)
      finding('what is blocked is of open disputes', `${accountId} has ${blocked} blocked, its disputes ${held}`, [
        accountId,
      ]);
  }
}

/** Without the notifications that a partner asked for: those sent anew, and tests. */
function withoutRepeated(own: readonly Item[]): readonly Item[] {
  const known = new Set(own.map(({ id }) => id));
  const asked = new Set(
    own.flatMap((item) => {
      if (item['entity'] !== 'DELIVERY') return [];
      const { resendOf, resource } = parseDelivery(item);
      return resendOf !== undefined || !known.has(resource.id) ? [item.PK] : [];
    }),
  );
  return own.filter(({ entity, PK }) => entity !== 'DELIVERY_BODY' || !asked.has(PK));
}

/** The operator's comparison of orders, deliveries and ledger finds nothing. */
async function compareBooks(world: World, companyId: string, own: readonly Item[]): Promise<void> {
  const now = (): string => instantOf(Math.floor(world.time.now()) + 86_400_000);
  const itemsOf = async function* (): AsyncGenerator<Item> {
    yield* await Promise.resolve(own);
  };
  const differences = await reconcile({ itemsOf, now }, { companyId }, () => undefined);
  for (const { kind, id, expected, found } of differences)
    world.finding('orders, deliveries and ledger agree', `${kind} ${id}: expected ${expected}, found ${found}`, [id]);
}

/**
 * Each notification arrived, failed with one dead letter, or is held for a reason that a partner or an operator can
 * end.
 */
function checkDeliveries(world: World, own: readonly Item[]): void {
  const letters = [...world.queues.deliveries.dead.values()].map(({ body }) => parseDeliveryMessage(body)?.deliveryId);
  const bodies = new Map(own.flatMap(({ PK, entity, body }) => (entity === 'DELIVERY_BODY' ? [[PK, body]] : [])));
  const calls = Map.groupBy(world.taken, ({ webhookId }) => webhookId);
  const deliveries = own.flatMap((item) => (item['entity'] === 'DELIVERY' ? [parseDelivery(item)] : []));
  const notifications = Map.groupBy(deliveries, webhookIdOf);
  const unreachable = unreachableOf(world, own);
  for (const item of own) {
    if (item['entity'] !== 'DELIVERY') continue;
    const delivery = parseDelivery(item);
    const { id, status, backlog } = delivery;
    const webhookId = webhookIdOf(delivery);
    const deliveryCalls = calls.get(webhookId) ?? [];
    const report = (invariant: string, text: string): void => {
      world.finding(invariant, `delivery ${id} is ${status}: ${text}`, [id]);
    };
    if (deliveryCalls.some(({ body }) => body !== bodies.get(item.PK)))
      report('a notification always has the same bytes', 'other bytes were sent');
    checkWait(world, delivery, deliveryCalls);
    const isTakenSince = (notifications.get(webhookId) ?? []).some(
      (one) => one.status === 'DELIVERED' && one.createdAt > delivery.createdAt,
    );
    if (isOpen(delivery) && isTakenSince)
      report('a delivered resend closes earlier deliveries', 'a resend was delivered');
    const isTaken = deliveryCalls.some(({ isAcknowledged }) => isAcknowledged);
    if (status === 'DELIVERED' && !isTaken)
      report('a delivered notification was acknowledged', 'no receiver acknowledged it');
    if (status === 'PENDING')
      report('every notification becomes final', `backlog ${backlog ?? 'none'}, due ${delivery.dueAt ?? 'never'}`);
    if (status === 'HELD' && backlog !== undefined && !unreachable.has(backlog))
      report('a held delivery is in no backlog', `backlog ${backlog}`);
    if (countedFailures(delivery) > maxCountedFailures)
      report('at most five attempts', String(countedFailures(delivery)));
    const own = letters.filter((one) => one === id).length;
    if (own !== (status === 'FAILED' ? 1 : 0))
      report('a failed notification has one dead letter', `${own} dead letters`);
  }
}

/** Backlogs of addresses that no receiver has, and that were given up after days: nothing there ever becomes well. */
function unreachableOf({ receivers }: World, own: readonly Item[]): ReadonlySet<string> {
  const circuits = own.flatMap((item) =>
    item['entity'] === 'WEBHOOK_HEALTH' ? parseHealth(companyOf(item) ?? '', item).circuits : [],
  );
  const isGivenUp = (circuit: (typeof circuits)[number]): boolean =>
    circuit.state === 'HELD' && circuit.by === 'CIRCUIT' && !receivers.hosts.has(new URL(circuit.url).hostname);
  return new Set(circuits.filter(isGivenUp).map(({ name }) => name));
}

/** However badly the others behave, a receiver that is always well gets its notifications in time. */
const longestWaitMs = 3_600_000;

function checkWait(world: World, delivery: Delivery, deliveryCalls: readonly Taken[]): void {
  const { id, endpoint, createdAt, resendOf, heldAt, target } = delivery;
  const host = endpoint === undefined ? '' : new URL(endpoint).hostname;
  // Where its type or its subscription had another address before, or an operator held it, others are the reason.
  const hasMoved = world.known.addresses.hasMovedSince(delivery, createdAt);
  const isOwn = 'endpoint' in target && !hasMoved && resendOf === undefined && heldAt === undefined;
  const first = deliveryCalls.find(({ isAcknowledged }) => isAcknowledged);
  if (!isOwn || first === undefined || world.receivers.hosts.get(host)?.behaviour !== 'FAST') return;
  const waitedMs = first.ms - (Date.parse(createdAt) - beginsAt);
  world.history.met(
    `wait ${waitedMs < 2000 ? 'under 2 s' : waitedMs < 60_000 ? 'under 1 min' : waitedMs < 600_000 ? 'under 10 min' : 'longer'}`,
  );
  const beganMs = first.ms - waitedMs;
  // Where a worker is out of order or the queue gives no more, all wait.
  if (world.queues.isNarrow || world.outages.wasAny(beganMs - longestWaitMs, first.ms)) return;
  if (waitedMs > longestWaitMs && !world.known.holds.has(delivery.companyId))
    world.finding('a healthy endpoint gets its calls in time', `delivery ${id} waited ${waitedMs} ms`, [id]);
}

/** Nothing that is due stays. What a company's simulated clock made due takes as long as its jobs take. */
function checkDue(world: World): void {
  const turned = new Set(
    [...world.known.due.due].flatMap(([place, { kind }]) => (kind === 'CLOCKS' ? [companyAt(place)] : [])),
  );
  for (const [place, { kind, atMs }] of world.known.due.due) {
    if (kind === 'CLOCKS' || atMs >= world.time.now() - graceMs) continue;
    if (kind !== openMinute && isCompanyTimeKind(kind) && turned.has(companyAt(place))) continue;
    const ids = place.split(/[# ]/u).filter((part) => part.length === 36);
    world.finding('without traffic no work is due', `${kind} since ${instantOf(atMs)}: ${place}`, ids.slice(1));
  }
}

function companyAt(place: string): string | undefined {
  const [PK = '', SK = ''] = place.split(' ');
  return companyOf({ PK, SK });
}

import type { Resource } from '#functions/transitions.ts';
import { transitions } from '#functions/transitions.ts';
import { webhookIdOf } from '#shared/platform/outbox/delivery.ts';
import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import { companyPrefix } from '#shared/platform/table/keys.ts';
import type { Item, Key } from '#shared/platform/table/store.ts';
import { belongingChecks } from './belonging.ts';
import { disputeChecks } from './disputes.ts';
import { entryChecks } from './entries.ts';
import { onceChecks } from './once.ts';
import type { Claimants } from './deliveries.ts';
import { checkDelivery } from './deliveries.ts';
import { finalStatuses } from '#test/support/final-statuses.ts';
import type { Actor } from '../world/actors.ts';
import type { Change } from '../world/table.ts';
import type { Finding } from '../world/history.ts';
import { accountPartition } from '#test/support/account-balances.ts';

/** The table of transitions of each entity that has a status. */
const tables: Readonly<Record<string, Resource>> = {
  SUBSCRIPTION: 'SUBSCRIPTION',
  SCHEDULED_PAYMENT: 'SCHEDULED_PAYMENT',
  PAY_IN: 'PAY_IN',
  REFUND: 'REFUND',
  PAYOUT: 'PAYOUT',
  PAYOUT_PAYMENT: 'PAYOUT',
  CREDIT: 'CREDIT',
  CREDIT_RETURN: 'CREDIT_RETURN',
  DISPUTE: 'DISPUTE',
  KEY_VALIDATION: 'KEY_VALIDATION',
};

const finals = new Set(
  Object.entries(finalStatuses).flatMap(([resource, statuses]) => statuses.map((status) => `${resource} ${status}`)),
);

/** A batch is as its payments are: it has no row of its own for what they come to. */
const ofBatches = new Set(['PENDING to PARTIALLY_PAID']);
/** Partitions without a company, which requests of any may touch: what belongs to one of all, claims of Pix too. */
const shared = /^(BANK_PIX#|CONTROL_NUMBER#|PIX_KEY#|ADDRESS#|HASH_SECRET$|STATEMENT_ROOTS$)/u;

/** What must hold for every commit, by itself. */
export function writeChecks(finding: Finding, taken: (row: string) => void, now: () => string) {
  const controlNumbers = new Map<string, string>();
  const lastEntries = new Map<string, string>();
  const claims = new Map<string, Set<string>>();
  const claimants: Claimants = new Map();
  const checkOnceAtATime = onceChecks(finding);
  const checkBelonging = belongingChecks(finding);
  const checkEntries = entryChecks(finding);
  const checkDisputes = disputeChecks(finding);
  return {
    /** Claims of a notification so far, of all its deliveries. */
    claimsOf: (webhookId: string): number => claims.get(webhookId)?.size ?? 0,
    /** Requests of a company touch its own partitions. */
    touched: (keys: readonly Pick<Key, 'PK'>[], { companyId, name }: Actor): void => {
      if (companyId === undefined) return;
      const own = companyPrefix(companyId);
      for (const { PK } of keys)
        if (!PK.startsWith(own) && !shared.test(PK))
          finding('a request touches only its own company', `${name} of ${companyId} reads or writes ${PK}`, [
            companyId,
          ]);
    },
    committed: (changes: readonly Change[], actor: Actor | undefined): void => {
      for (const change of changes) {
        checkTransition(change, finding, taken);
        checkOnce(change, now(), finding);
        checkControlNumber(change, controlNumbers, finding);
        checkDelivery(change, { now: now(), actor, claimants }, finding);
        keepClaim(change, claims);
      }
      checkLedger(changes, finding);
      checkAccounts(changes, lastEntries, finding);
      checkNotifications(changes, finding);
      checkOnceAtATime(changes);
      checkBelonging(changes, actor);
      checkEntries(changes);
      checkDisputes(changes);
    },
  };
}

const textOf = (item: Item | undefined, name: string): string => {
  const value = item?.[name];
  return typeof value === 'string' ? value : '';
};

function checkTransition({ before, after }: Change, finding: Finding, taken: (row: string) => void): void {
  const entity = textOf(after ?? before, 'entity');
  const resource = tables[entity];
  if (resource === undefined || after === undefined) return;
  const [from, to] = [textOf(before, 'status'), textOf(after, 'status')];
  if (from === to || (before === undefined && from === '')) {
    if (before === undefined) taken(`${resource}: ${to}`);
    return;
  }
  const table = transitions[resource];
  const rows: readonly (readonly [string, string, string])[] = [
    ...table.bank,
    ...table.service,
    ...('bankAlone' in table ? table.bankAlone : []),
  ];
  taken(`${resource}: ${from} to ${to}`);
  // By a list of its own: a wrong row of the table must not hide it.
  if (finals.has(`${resource} ${from}`))
    finding('a final status stays', `${after.PK} ${after.SK}: ${from} to ${to}`, [textOf(after, 'id')]);
  if (rows.some((row) => row[0] === from && row[2] === to)) return;
  if (entity === 'PAYOUT' && ofBatches.has(`${from} to ${to}`)) return;
  finding('a status changes only by an allowed transition', `${after.PK} ${after.SK}: ${from} to ${to}`, [
    textOf(after, 'id'),
  ]);
}

/** What is written once and for all. */
const immutable = new Set(['LEDGER_ENTRY', 'IDEMPOTENCY', 'DELIVERY_BODY', 'CONTROL_NUMBER']);

function checkOnce({ before, after }: Change, now: string, finding: Finding): void {
  const entity = textOf(before, 'entity');
  if (before === undefined || before === after || !immutable.has(entity)) return;
  const { expiresAt } = before;
  // The body of a first delivery stays as long as its latest resend.
  if (entity === 'DELIVERY_BODY' && after !== undefined && after['body'] === before['body']) return;
  if (typeof expiresAt === 'number' && 1000 * expiresAt < Date.parse(now)) return;
  finding('immutable items stay unchanged', `${before.PK} ${before.SK} (${entity}) was changed`, []);
}

function checkControlNumber({ after }: Change, known: Map<string, string>, finding: Finding): void {
  const entity = textOf(after, 'entity');
  const number = textOf(after, 'controlNumber');
  if (after === undefined || number === '' || (entity !== 'PAYOUT' && entity !== 'PAYOUT_PAYMENT')) return;
  const place = `${after.PK} ${after.SK}`;
  const owner = known.get(number) ?? place;
  known.set(number, owner);
  if (owner !== place) finding('a control number is unique', `${number} belongs to ${owner} and to ${place}`, []);
}

type Money = { available: number; reserved: number; blocked: number };
const moneyOf = (item: Item | undefined): Money => {
  const readAmount = (name: string): number => (typeof item?.[name] === 'number' ? item[name] : 0);
  return { available: readAmount('available'), reserved: readAmount('reserved'), blocked: readAmount('blocked') };
};

/**
 * Balances change by the entries of the same commit, and by nothing else: money that moves between shards of an account
 * adds up to zero. Only what a bank takes brings a shard below zero.
 */
function checkLedger(changes: readonly Change[], finding: Finding): void {
  const moved = new Map<string, Money>();
  const isFee = changes.some(({ after }) => ['BANK_FEE', 'MED_RETURNED'].includes(textOf(after, 'kind')));
  const add = (partition: string, { available, reserved, blocked }: Money, sign: 1 | -1): void => {
    const PK = accountPartition(partition);
    const sum = moved.get(PK) ?? { available: 0, reserved: 0, blocked: 0 };
    moved.set(PK, {
      available: sum.available + sign * available,
      reserved: sum.reserved + sign * reserved,
      blocked: sum.blocked + sign * blocked,
    });
  };
  for (const { before, after } of changes) {
    const entity = textOf(after ?? before, 'entity');
    if (entity === 'LEDGER_ENTRY' && before === undefined && after) add(after.PK, moneyOf(after), 1);
    if (entity !== 'BALANCE' || after === undefined) continue;
    add(after.PK, moneyOf(after), -1);
    add(after.PK, moneyOf(before), 1);
    const { available, reserved, blocked } = moneyOf(after);
    const isTaken = available < moneyOf(before).available;
    if ((available < 0 && isTaken && !isFee) || reserved < 0 || blocked < 0)
      finding('no balance is below zero', `${after.PK}: ${JSON.stringify(moneyOf(after))}`, [after.PK]);
  }
  for (const [PK, difference] of moved)
    if (Object.values(difference).some((amount) => amount !== 0))
      finding('a balance is the sum of its entries', `${PK}: the difference is ${JSON.stringify(difference)}`, [PK]);
}

/** A clock that is given back its real time goes back by more than processes differ, milliseconds. */
const setBackMs = 60_000;

/** Reservations: those of a partner have an order; an operator returns a credit from any account, without one. */
const promises = new Set(['PAYOUT_RESERVED', 'REFUND_RESERVED']);

/** Entries stand in the order of their commits, and money is promised by active accounts alone. */
function checkAccounts(changes: readonly Change[], last: Map<string, string>, finding: Finding): void {
  for (const { before, after } of changes) {
    if (textOf(after, 'entity') !== 'LEDGER_ENTRY' || before !== undefined || after === undefined) continue;
    const at = textOf(after, 'at');
    const earlier = last.get(after.PK) ?? '';
    last.set(after.PK, at);
    // By the company's clock, which may be set back.
    const isSetBack = Date.parse(earlier) - Date.parse(at) > setBackMs;
    if (at <= earlier && !isSetBack)
      finding('ledger entries are in order', `${after.PK}: ${at} after ${earlier}`, [textOf(after, 'id')]);
    if (!promises.has(textOf(after, 'kind')) || textOf(after, 'orderId') === '') continue;
    const balance = changes.find(({ after: item }) => item?.PK === after.PK && textOf(item, 'entity') === 'BALANCE');
    const status = textOf(balance?.before, 'accountStatus');
    if (status !== 'ACTIVE')
      finding('only an active account reserves money', `${after.PK} is ${status}`, [textOf(after, 'orderId')]);
  }
}

function keepClaim({ after }: Change, claims: Map<string, Set<string>>): void {
  if (after?.['entity'] !== 'DELIVERY') return;
  const delivery = parseDelivery(after);
  const { claim } = delivery;
  const id = webhookIdOf(delivery);
  if (claim !== undefined) claims.set(id, (claims.get(id) ?? new Set()).add(claim.id));
}

/** The notification of each status, by entity: `*` of every other one. Undefined: none. */
const notified: Readonly<Record<string, (to: string, item: Item) => string | undefined>> = {
  PAY_IN: (to) => (to === 'REFUNDED' || to === 'PENDING' ? undefined : `ORDER-PAYIN.${to}`),
  PAYOUT: (to) => (to === 'PENDING' ? undefined : `ORDER-PAYOUT.${to === 'PARTIALLY_PAID' ? 'ERROR' : to}`),
  REFUND: (to) => ({ SETTLED: 'ORDER-PAYIN.REFUNDED', FAILED: 'ORDER-PAYIN.REFUND_FAILED' })[to],
  CREDIT: (to) => (to === 'OPEN' ? 'CREDIT.RECEIVED' : undefined),
  DISPUTE: (to) => (to === 'OPEN' ? 'DISPUTE.OPENED' : `DISPUTE.${to}`),
  CREDIT_RETURN: (to) => ({ SETTLED: 'CREDIT.RETURNED', FAILED: 'CREDIT.RETURN_FAILED' })[to],
  SUBSCRIPTION: (to) => (['ACCEPTED', 'REJECTED', 'CANCELED', 'ERROR'].includes(to) ? `SUBSCRIPTION.${to}` : undefined),
  SCHEDULED_PAYMENT: (to) =>
    ['PENDING', 'ACCEPTED', 'REJECTED', 'COMPLETED', 'ERROR'].includes(to)
      ? `SUBSCRIPTION.SCHEDULED_PAYMENT.${to}`
      : undefined,
};

/** Each transition that notifies has exactly one notification, in its own commit. */
function checkNotifications(changes: readonly Change[], finding: Finding): void {
  const expected: string[] = [];
  for (const { before, after } of changes) {
    const event = notified[textOf(after, 'entity')];
    if (event === undefined || after === undefined || textOf(before, 'status') === textOf(after, 'status')) continue;
    const name = event(textOf(after, 'status'), after);
    if (name !== undefined) expected.push(name);
  }
  const createdEvents = changes.flatMap(({ before, after }) =>
    before === undefined && textOf(after, 'entity') === 'DELIVERY' && textOf(after, 'resendOf') === ''
      ? [textOf(after, 'event')]
      : [],
  );
  const rest = [...createdEvents];
  for (const name of expected) {
    const place = rest.indexOf(name);
    if (place < 0)
      finding(
        'a transition that notifies has its notification',
        `${name} is missing; created: ${createdEvents.join()}`,
        idsOf(changes),
      );
    else rest.splice(place, 1);
  }
  const alone = rest.filter((name) => !/CANCELLATION|\.TEST|^WEBHOOK/u.test(name));
  if (alone.length > 0 && expected.length > 0)
    finding('a transition notifies once', `${alone.join()} in addition to ${expected.join()}`, idsOf(changes));
}

const idsOf = (changes: readonly Change[]): string[] => changes.map(({ after }) => textOf(after, 'id')).filter(Boolean);

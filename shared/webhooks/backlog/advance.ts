import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { isGivenUp, longestProbeDelay, nextLastAttemptAt, nextProbeAt } from '../endpoint-health.ts';
import { webhookTypes } from '#shared/platform/outbox/notification.ts';
import { letOut } from '../deliveries/states.ts';
import type { Line, LineName, OpenCircuit } from '#shared/platform/outbox/backlog.ts';
import { changeLine, lineGraceSeconds, typeLine, newLine, releaseLine } from '#shared/platform/outbox/backlog.ts';
import type { WebhookSettings } from '../settings.ts';
import { addressOf, markFailing } from '../settings.ts';
import { deliveryItem, parseDelivery, sendingItem } from '#shared/platform/outbox/delivery-items.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { linePut, parseLine, writeLine, endpointLine } from './store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { parseWebhookSettings } from '../settings-store.ts';
import { giveUpEndpoint, markHeld, settledSeconds, readFirst, findProbe } from './deferred.ts';
import type { LineDeps, ReleaseDeps } from './deferred.ts';
import type { WebhookType } from '#shared/platform/outbox/notification.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { errorFields, log } from '#shared/platform/log.ts';

type Facts = { readonly line: Line; readonly isReleasable: boolean; readonly turnsDelivery: Delivery | undefined };

/** How often it is decided again: calls of the endpoint that are counted meanwhile change the line. */
const tries = 4;

/**
 * Lets the next delivery of a line out, if it is time: at most one is on its way, and the next one follows when its
 * attempt has ended. Called by the worker that ended an attempt, and by the sweep when that worker died; of two at once
 * one counts.
 *
 * @param newcomer a delivery that was put in line just now, which the index may not show yet
 * @returns whether more is to be done at once, by another call
 * @throws StoreUnavailable, CorruptItem
 */
export async function advanceLine(
  deps: LineDeps,
  of: { readonly companyId: string; readonly name: LineName; readonly newcomer?: Delivery },
): Promise<boolean> {
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const facts = await readFacts(deps.store, of.companyId, of.name);
    if (facts === undefined) return false;
    const { line, turnsDelivery } = facts;
    const now = deps.now();
    if (await waitForTurn(deps, facts)) return false;
    if (line.held !== undefined) return markHeld(deps, line);
    if (line.open !== undefined && isGivenUp(line.open, now, deps.rules)) {
      await giveUpEndpoint(deps, line);
      return false;
    }
    const isDone =
      line.open === undefined
        ? await release(deps, facts, of.newcomer)
        : await probe(deps, line, { open: line.open, last: turnsDelivery, newcomer: of.newcomer });
    if (isDone) return false;
  }
  return false;
}

/** As `advanceLine`, right after the release of a line: leaves alone one that is held or whose circuit is open. */
export async function beginRelease(
  deps: ReleaseDeps,
  of: { readonly companyId: string; readonly name: LineName },
): Promise<void> {
  const facts = await readFacts(deps.store, of.companyId, of.name);
  if (facts === undefined || facts.line.held !== undefined || facts.line.open !== undefined) return;
  if (!(await waitForTurn(deps, facts))) await release(deps, facts);
}

/** True when a delivery of the line is on its way: the line is looked at again when that should have arrived. */
async function waitForTurn(deps: ReleaseDeps, { line, turnsDelivery }: Facts): Promise<boolean> {
  if (turnsDelivery === undefined || !isOnItsWay(turnsDelivery, line)) return false;
  const dueAt = plusSeconds(laterOf(deps.now(), turnsDelivery.dueAt), lineGraceSeconds);
  await lookAgain(deps, line, dueAt);
  return true;
}

/** Here and below: false when the line changed meanwhile, so that it must be decided again. */
async function release(deps: ReleaseDeps, { line, isReleasable }: Facts, newcomer?: Delivery): Promise<boolean> {
  const now = deps.now();
  if (line.releasedAt === undefined || !isReleasable) return endLine(deps, line);
  const next = (await readFirst(deps, line)) ?? newcomer;
  if (next !== undefined) return goOut(deps, line, { delivery: next, notBefore: now, isProbe: false });
  const settledAt = plusSeconds(line.releasedAt, settledSeconds);
  if (now > settledAt) return endLine(deps, line);
  // Without the turn that is over: the next delivery is the first again.
  const { turn: _turn, ...rest } = line;
  return lookAgain(deps, rest, plusSeconds(settledAt, 1));
}

/** The line, whether what it stands for lets anybody out, and the delivery that went out last. */
async function readFacts(store: Store, companyId: string, name: LineName): Promise<Facts | undefined> {
  const [item, settingsItem] = await store.read([keys.line(companyId, name), keys.webhookSettings(companyId)]);
  if (item === undefined) return undefined;
  const line = parseLine(item);
  const settings = settingsItem && parseWebhookSettings(settingsItem);
  const [delivery] = line.turn === undefined ? [] : await store.read([keys.delivery(companyId, line.turn.deliveryId)]);
  const isReleasable = settings !== undefined && letsOut(name, settings);
  return { line, isReleasable, turnsDelivery: delivery && parseDelivery(delivery) };
}

/** A delivery that leaves the line of an endpoint and is held for another reason then waits in the line of that. */
function letsOut(name: LineName, settings: WebhookSettings): boolean {
  if (name === 'company') return settings.heldSince === undefined;
  const type = webhookTypes.find((known) => typeLine(known) === name);
  return type === undefined || addressOf({ type }, settings) !== undefined;
}

/** Until the end of its attempt is recorded the delivery keeps the turn that it was given. */
function isOnItsWay({ turn, status, sending }: Delivery, line: Line): boolean {
  return status === 'PENDING' && turn?.line === line.name && sending >= (line.turn?.sending ?? 0);
}

/** The next probe: at once when the last one found another way, else after a wait that grows. */
async function probe(
  deps: LineDeps,
  line: Line,
  of: { readonly open: OpenCircuit; readonly last: Delivery | undefined; readonly newcomer: Delivery | undefined },
): Promise<boolean> {
  const now = deps.now();
  const hasFailed = of.last !== undefined && (of.last.line === line.name || of.last.status === 'FAILED');
  const open = hasFailed ? { ...of.open, probes: of.open.probes + 1 } : of.open;
  const isDetour = of.last !== undefined && !hasFailed;
  const notBefore = isDetour ? now : laterOf(now, nextProbeAt(open, deps.rules));
  const mayBeLast = notBefore >= nextLastAttemptAt(open, deps.rules);
  const delivery = await findProbe(deps, line, { newcomer: of.newcomer, mayBeLast });
  const { turn: _turn, ...rest } = line;
  const known = { ...rest, open };
  if (hasFailed) deps.onLine({ kind: 'probe-failed', line: known });
  if (delivery !== undefined) return goOut(deps, known, { delivery, notBefore, isProbe: true });
  return lookAgain(deps, known, plusSeconds(notBefore, longestProbeDelay(deps.rules)));
}

/** Delivery, message and line in one transaction: what is on its way is known, and nothing goes out twice. */
async function goOut(
  deps: ReleaseDeps,
  line: Line,
  out: { readonly delivery: Delivery; readonly notBefore: Instant; readonly isProbe: boolean },
): Promise<boolean> {
  const { notBefore, isProbe } = out;
  const now = deps.now();
  const delivery = letOut(out.delivery, { line: line.name, notBefore, isProbe });
  if (delivery === undefined) return true;
  const turn = { deliveryId: delivery.id, sending: delivery.sending };
  const dueAt = plusSeconds(notBefore, lineGraceSeconds);
  const open = line.open && { ...line.open, probedAt: notBefore };
  const next = changeLine(line, { turn, dueAt, ...(open && { open }) });
  const outcome = await deps.store.write(
    [
      { put: deliveryItem(delivery), when: { equals: { version: delivery.version - 1 } } },
      { put: sendingItem(delivery, notBefore, now), when: { is: 'absent' } },
      linePut(next, now),
    ],
    deps.newId(),
  );
  if (outcome.ok) deps.onLine({ kind: 'let-out', line: next });
  return outcome.ok;
}

async function lookAgain(deps: ReleaseDeps, line: Line, dueAt: Instant): Promise<boolean> {
  return (await writeLine(deps.store, changeLine(line, { dueAt }), deps.now())).ok;
}

/** No delivery waits any more, or none may go out: whatever changes that writes the line again. */
async function endLine(deps: ReleaseDeps, line: Line): Promise<boolean> {
  const next = changeLine(line, { releasedAt: undefined, turn: undefined, dueAt: undefined });
  return (await writeLine(deps.store, next, deps.now())).ok;
}

function laterOf(a: Instant, b: Instant | undefined): Instant {
  return b !== undefined && b > a ? b : a;
}

/**
 * What new settings let out: the lines of types that became active, and those of active endpoints that were given up.
 * The settings say of each endpoint whether it fails now.
 */
export function releasesOf(
  settings: WebhookSettings,
  activated: readonly WebhookType[],
  lines: ReadonlyMap<LineName, Line>,
  at: Instant,
): { readonly settings: WebhookSettings; readonly released: readonly Line[] } {
  const { companyId, events, version } = settings;
  const ofTypes = activated.map((type) => lines.get(typeLine(type)) ?? newLine(companyId, typeLine(type)));
  const active = new Set(
    events.filter(({ status }) => status === 'ACTIVE').map((event) => endpointLine(event.endpoint)),
  );
  const givenUp = [...lines.values()].filter(({ name, held }) => active.has(name) && held?.by === 'CIRCUIT');
  const released = [...ofTypes, ...givenUp].map((line) => releaseLine(line, at));
  const marked = events.reduce((marking, { endpoint }) => {
    const name = endpointLine(endpoint);
    const line = released.find((one) => one.name === name) ?? lines.get(name);
    return markFailing(marking, endpoint, line?.open?.failingSince ?? line?.held?.failingSince) ?? marking;
  }, settings);
  return { settings: { ...marked, version }, released };
}

/** Lets the first of each line out. The release stands in the table by now: what cannot be done here is the sweep's. */
export async function beginReleases(deps: ReleaseDeps, lines: readonly Line[]): Promise<void> {
  for (const { companyId, name } of lines) {
    try {
      await beginRelease(deps, { companyId, name });
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      log('warn', 'release left to the sweep', { companyId, ...errorFields(error) });
    }
  }
}

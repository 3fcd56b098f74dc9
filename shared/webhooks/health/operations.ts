import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Put } from '#shared/platform/table/store.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { typeBacklog } from '#shared/platform/outbox/delivery.ts';
import type { WantedEndpoint, WebhookSettings } from '../settings.ts';
import { activateEndpoints, deactivateEndpoints, replaceEndpoints, setHold } from '../settings.ts';
import { healthEvents } from '../dispatch/report.ts';
import { noSettings, parseWebhookSettings, webhookSettingsItem } from '../settings-store.ts';
import type { Circuit } from './circuit.ts';
import { halfOpen, originOf } from './circuit.ts';
import type { CompanyHealth } from './health.ts';
import { askForDrain, backlogsFor, changeCircuit, circuitsOf } from './health.ts';
import type { HealthDeps } from './store.ts';
import { healthWrites, parseHealth } from './store.ts';

/*
 * Changes by partner and operator. Each changes settings and health, which one transaction writes, and requests a
 * drain, which does the rest: the cost does not depend on the number of waiting deliveries.
 */

/** Settings and health of a company. */
export type Endpoints = { readonly settings: WebhookSettings; readonly health: CompanyHealth };

/** One read. Every company has settings. @throws CorruptItem */
export async function readEndpoints(store: HealthDeps['store'], companyId: string): Promise<Endpoints> {
  const found = await findEndpoints(store, companyId);
  if (found === undefined) throw noSettings();
  return found;
}

/** One read; undefined for a company that does not exist. @throws CorruptItem */
export async function findEndpoints(store: HealthDeps['store'], companyId: string): Promise<Endpoints | undefined> {
  const [settings, health] = await store.read([keys.webhookSettings(companyId), keys.webhookHealth(companyId)]);
  return settings && { settings: parseWebhookSettings(settings), health: parseHealth(companyId, health) };
}

/** Writes settings and health where they changed. Returns false when the table has another version of one of them. */
export async function writeEndpoints(deps: HealthDeps, current: Endpoints, next: Endpoints): Promise<boolean> {
  const { version } = current.settings;
  const settings: Put = { put: webhookSettingsItem(next.settings), when: { equals: { version } } };
  const writes = [
    ...(next.settings === current.settings ? [] : [settings]),
    ...(next.health === current.health ? [] : healthWrites(current.health, next.health, deps.now())),
  ];
  if (writes.length === 0) return true;
  const { ok } = await deps.store.write(writes, deps.newId());
  if (ok && deps.onHealth) healthEvents(current.health, next.health).forEach(deps.onHealth);
  return ok;
}

const isDisabled = (circuit: Circuit): boolean => circuit.state === 'HELD' && circuit.by === 'CIRCUIT';
const isStopped = ({ state }: Circuit): boolean => state === 'HELD' || state === 'OPEN';

/**
 * Sets new endpoints. Deliveries that wait for a type go to its new address immediately. An address that was given up
 * is tried again when it is set active.
 */
export function setEndpoints(current: Endpoints, wanted: readonly WantedEndpoint[], at: Instant): Endpoints {
  const { settings, moved } = replaceEndpoints(current.settings, wanted, at);
  const active = settings.events.flatMap(({ endpoint, status }) => (status === 'ACTIVE' ? [endpoint] : []));
  const revived = active.filter((endpoint) => circuitsOf(current.health, endpoint).some(isDisabled));
  const health = revived.reduce((known, endpoint) => tryAgain(known, endpoint, at, isDisabled), current.health);
  const names = [...moved.map(typeBacklog), ...revived.flatMap((endpoint) => backlogsFor(settings, endpoint))];
  return { settings, health: names.length === 0 ? health : askForDrain(health, names, at, at) };
}

/** Holds all notifications of a company for the operator from `since` on, or releases them without `since`. */
export function holdCompany(current: Endpoints, at: Instant, since: Instant | undefined): Endpoints {
  const names = backlogsFor(current.settings, undefined, current.health);
  return { settings: setHold(current.settings, since), health: askForDrain(current.health, names, at, at) };
}

/** Holds an address for the operator. */
export function holdEndpoint({ settings, health }: Endpoints, endpoint: string, at: Instant): Endpoints {
  const held = changeCircuit(health, 'address', endpoint, true, at, ({ name, url }) => {
    return { name, url, state: 'HELD', by: 'OPERATOR', since: at };
  });
  return { settings, health: askForDrain(held, backlogsFor(settings, endpoint), at, at) };
}

/**
 * Releases an address or an origin: its failures are forgotten, the types that were disabled with it are active again,
 * and the waiting deliveries are sent, at first with one call.
 */
export function releaseEndpoint({ settings, health }: Endpoints, endpoint: string, at: Instant): Endpoints {
  const wasDisabled = circuitsOf(health, endpoint).some(isDisabled);
  const active = wasDisabled ? activateEndpoints(settings, leadsTo(endpoint), at) : undefined;
  const next = active ?? settings;
  const tried = tryAgain(health, endpoint, at, isStopped);
  return { settings: next, health: askForDrain(tried, backlogsFor(next, endpoint), at, at) };
}

/** Disables an address that failed for days, or an origin with its types. A drain marks waiting deliveries as held. */
export function disableEndpoint({ settings, health }: Endpoints, circuit: Circuit, at: Instant): Endpoints {
  if (circuit.state !== 'OPEN') return { settings, health };
  const { name, url, failingSince, reason } = circuit;
  const held: Circuit = { name, url, state: 'HELD', by: 'CIRCUIT', since: at, failingSince, reason };
  const circuits = health.circuits.map((known) => (known.name === name ? held : known));
  return { settings: deactivateEndpoints(settings, leadsTo(url), at) ?? settings, health: { ...health, circuits } };
}

/** Whether an address is this one, or of this origin. */
function leadsTo(url: string): (address: string) => boolean {
  return (address) => address === url || originOf(address) === url;
}

/** Makes the selected circuits of an address and its origin half-open: one call tries them. */
function tryAgain(
  health: CompanyHealth,
  endpoint: string,
  at: Instant,
  isSelected: (circuit: Circuit) => boolean,
): CompanyHealth {
  const again = (circuit: Circuit): Circuit => (isSelected(circuit) ? halfOpen(circuit, at) : circuit);
  const address = changeCircuit(health, 'address', endpoint, false, at, again);
  return changeCircuit(address, 'origin', endpoint, false, at, again);
}

/** Makes the next probe of every open circuit due now: the partner says that its receivers answer again. */
export function hurryProbes(health: CompanyHealth, at: Instant): CompanyHealth {
  const isLater = (circuit: Circuit): boolean => circuit.state === 'OPEN' && circuit.probeAt > at;
  if (!health.circuits.some(isLater)) return health;
  const circuits = health.circuits.map((circuit) => (isLater(circuit) ? { ...circuit, probeAt: at } : circuit));
  return askForDrain({ ...health, circuits }, [], at, at);
}

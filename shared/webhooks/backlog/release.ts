import type { Instant } from '#shared/core/brasilia-time.ts';
import type { WebhookType } from '#shared/platform/outbox/notification.ts';
import type { Line, LineName } from '#shared/platform/outbox/backlog.ts';
import { newLine, releaseLine, typeLine } from '#shared/platform/outbox/backlog.ts';
import type { WebhookSettings } from '../settings.ts';
import { markFailing } from '../settings.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { endpointLine, parseLine } from '../health/store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { errorFields, log } from '#shared/platform/log.ts';
import type { ReleaseDeps } from '../health/dependencies.ts';
import { beginRelease } from './advance.ts';

/** The lines of these names that exist, in one read. @throws CorruptItem */
export async function readLines(
  store: Store,
  companyId: string,
  names: readonly LineName[],
): Promise<ReadonlyMap<LineName, Line>> {
  const wanted = [...new Set(names)];
  const items = wanted.length === 0 ? [] : await store.read(wanted.map((name) => keys.line(companyId, name)));
  return new Map(
    items.flatMap((item) => (item === undefined ? [] : [parseLine(item)])).map((line) => [line.name, line]),
  );
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

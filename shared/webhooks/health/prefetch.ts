import type { NotificationTarget } from '#shared/platform/outbox/notification.ts';
import type { EndpointLine } from './admission.ts';
import type { LineName } from '#shared/platform/outbox/backlog.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { endpointLine, parseLine, readLine } from './store.ts';
import type { Item, Key, Store } from '#shared/platform/table/store.ts';

/** The line of an address. Another read where it was not the likely one. @throws CorruptItem */
export type LinesRead = { readonly of: (endpoint: string) => Promise<EndpointLine> };

/** The line that a company's next notification will probably need, to be read together with something else. */
type LikelyLines = {
  /** One key, or none where nothing is known of the company. */
  readonly keys: readonly Key[];
  /** @param items what was read for `keys`, at the same time as the settings that name the address. */
  readonly readWith: (items: readonly (Item | undefined)[]) => LinesRead;
};

const mostRemembered = 1000;
const lastNames = new WeakMap<Store, Map<string, LineName>>();

/**
 * Which line a notification meets is known only when its company's settings are read: that would be a call for the
 * settings and one for the line. Most companies have one address, so the line of the last one is read with the
 * settings; only its name is remembered, never what it held. For another address it is a read unit for nothing.
 *
 * @param target where the notification goes, as far as it is known before
 */
export function likelyLines(store: Store, companyId: string, target?: NotificationTarget): LikelyLines {
  const names = lastNames.get(store) ?? new Map<string, LineName>();
  lastNames.set(store, names);
  const known = JSON.stringify([companyId, target]);
  const likely = names.get(known);
  return {
    keys: likely === undefined ? [] : [keys.line(companyId, likely)],
    readWith: ([item]) => ({
      of: async (endpoint) => {
        const name = endpointLine(endpoint);
        if (name === likely) return { name, line: item && parseLine(item) };
        remember(names, known, name);
        return { name, line: await readLine(store, companyId, name) };
      },
    }),
  };
}

/** What was remembered first makes room. */
function remember(names: Map<string, LineName>, known: string, name: LineName): void {
  names.delete(known);
  const [first] = names.keys();
  if (names.size >= mostRemembered && first !== undefined) names.delete(first);
  names.set(known, name);
}

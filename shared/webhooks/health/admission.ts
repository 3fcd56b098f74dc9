import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { isBusy } from './concurrency-limit.ts';
import type { Line, LineName } from '#shared/platform/outbox/backlog.ts';
import { typeLine } from '#shared/platform/outbox/backlog.ts';
import type { WebhookSettings } from '../settings.ts';
import { addressOf } from '../settings.ts';

/**
 * Where a delivery may go now. `hold`: nowhere until somebody changes that. `pause`: not while its endpoint fails or is
 * busy.
 */
export type Passage =
  | { readonly to: 'endpoint'; readonly endpoint: string }
  | { readonly to: 'hold'; readonly line: LineName }
  | { readonly to: 'pause'; readonly line: LineName };

/** What is known of the line of the delivery's present endpoint. */
export type EndpointLine = { readonly name: LineName; readonly line: Line | undefined };

/**
 * Decides where a delivery may go. An open circuit stops what has not begun; attempts that have begun keep their
 * schedule. An endpoint with as many slow calls as it may have stops both. The delivery whose turn it is in that very
 * line passes.
 *
 * @param endpointLine of the address that `addressOf` gives; undefined when there is none
 */
export function passageOf(
  delivery: Pick<Delivery, 'target' | 'attempts' | 'claim' | 'turn'>,
  settings: Pick<WebhookSettings, 'events' | 'heldSince'>,
  endpointLine: EndpointLine | undefined,
  now: Instant,
): Passage {
  const { target } = delivery;
  if (settings.heldSince !== undefined) return { to: 'hold', line: 'company' };
  const endpoint = addressOf(target, settings);
  if (endpoint === undefined || endpointLine === undefined)
    return { to: 'hold', line: 'type' in target ? typeLine(target.type) : 'company' };
  const { name, line } = endpointLine;
  if (line?.held !== undefined) return { to: 'hold', line: name };
  const hasBegun = delivery.attempts.length > 0 || delivery.claim !== undefined;
  const isStopped = line !== undefined && ((line.open !== undefined && !hasBegun) || isBusy(line, now));
  if (isStopped && delivery.turn?.line !== name) return { to: 'pause', line: name };
  return { to: 'endpoint', endpoint };
}

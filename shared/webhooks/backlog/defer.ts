import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { holdWaiting } from '../deliveries/states.ts';
import type { Line, LineName } from '#shared/platform/outbox/backlog.ts';
import { changeLine, holdLine, typeLine } from '#shared/platform/outbox/backlog.ts';
import { deactivateEndpoint } from '../settings.ts';
import { writeDelivery } from '../deliveries/store.ts';
import { linePut, writeLine } from '../health/store.ts';
import { readWebhookSettings, webhookSettingsItem } from '../settings-store.ts';
import type { ReleaseDeps } from '../health/dependencies.ts';
import { readWaiting } from './deferred.ts';

/** A notifier that read the line before it changed may add to it until then, and the index shows that late. */
export const settledSeconds = 120;
const markedAtOnce = 25;

/**
 * The endpoint failed for days: the types that go there get the status `INACTIVE`, and the line is held, in one
 * transaction. A subscription's address stands in no settings; for it the held line is what `INACTIVE` is for a type.
 * Whoever waits is marked once nobody can be added any more.
 */
export async function giveUpEndpoint(deps: ReleaseDeps, line: Line): Promise<void> {
  const at = deps.now();
  const settings = await readWebhookSettings(deps.store, line.companyId);
  const inactive = line.endpoint === undefined ? undefined : deactivateEndpoint(settings, line.endpoint, at);
  const next = holdLine(line, 'CIRCUIT', at, plusSeconds(at, settledSeconds));
  const when = { equals: { version: settings.version } };
  const writes = inactive === undefined ? [] : [{ put: webhookSettingsItem(inactive), when }];
  const outcome = await deps.store.write([linePut(next, at), ...writes], deps.newId());
  if (outcome.ok) deps.onLine({ kind: 'endpoint-given-up', line: next });
}

/**
 * Goes on with marking those who wait in a held line `HELD`, a bounded number a call. Those of a type go over to the
 * line of their type where it has no active endpoint any more: making it active releases them.
 *
 * @returns whether there is more to mark
 */
export async function markHeld({ store, now }: ReleaseDeps, line: Line): Promise<boolean> {
  const { held } = line;
  if (held === undefined) return false;
  const at = now();
  if (held.isMarked === true || at < plusSeconds(held.at, settledSeconds)) {
    const dueAt = held.isMarked === true ? undefined : plusSeconds(held.at, settledSeconds);
    if (line.dueAt !== dueAt || line.turn !== undefined)
      await writeLine(store, changeLine(line, { dueAt, turn: undefined }), at);
    return false;
  }
  const batch: Delivery[] = [];
  for await (const delivery of readWaiting(store, line, markedAtOnce, held.upTo)) {
    batch.push(delivery);
    if (batch.length === markedAtOnce) break;
  }
  for (const delivery of batch) {
    const marked = holdWaiting(delivery, lineOfHeld(delivery, line), at);
    if (marked !== undefined) await writeDelivery(store, marked);
  }
  const last = batch.at(-1);
  const isMarked = batch.length < markedAtOnce ? (true as const) : undefined;
  const upTo = last === undefined ? held.upTo : `${last.createdAt}#${last.id}`;
  const progress = { ...held, ...(upTo !== undefined && { upTo }), ...(isMarked && { isMarked }) };
  const written = await writeLine(store, changeLine(line, { held: progress, dueAt: isMarked ? undefined : at }), at);
  return written.ok && isMarked === undefined;
}

/** The operator's hold of an endpoint keeps everybody in its line; a circuit that gave up made the types inactive. */
function lineOfHeld({ target }: Delivery, { name, held }: Line): LineName {
  return held?.by === 'CIRCUIT' && 'type' in target ? typeLine(target.type) : name;
}

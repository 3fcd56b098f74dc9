import type { Clock } from '#shared/core/brasilia-time.ts';
import type { Line } from '#shared/platform/outbox/backlog.ts';
import { markFailing } from '../settings.ts';
import type { LineWritten } from './store.ts';
import { linePut, readLine, writeLine } from './store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { readWebhookSettings, webhookSettingsItem } from '../settings-store.ts';

/**
 * Writes a circuit that opens or closes, in one transaction with the settings that name its endpoint: what the partner
 * reads there and what happens to the notifications cannot differ. The address of a subscription stands in no settings.
 */
export async function writeCircuit(
  { store, now, newId }: { readonly store: Store; readonly now: Clock; readonly newId: () => string },
  line: Line,
): Promise<LineWritten> {
  const { companyId, name, endpoint, open } = line;
  const settings = await readWebhookSettings(store, companyId);
  const marked = endpoint === undefined ? undefined : markFailing(settings, endpoint, open?.failingSince);
  if (marked === undefined) return writeLine(store, line, now());
  const when = { equals: { version: settings.version } };
  const outcome = await store.write([linePut(line, now()), { put: webhookSettingsItem(marked), when }], newId());
  if (outcome.ok) return outcome;
  return { ok: false, present: await readLine(store, companyId, name) };
}

import { retrying } from '#shared/platform/table/retry.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';
import type { Need } from './layout.ts';
import { waits } from './layout.ts';

/** `CONFLICTS`, `UNITS`: what the last try met when the retries ended; `SHED`: given up before. */
type Refusal = 'CONFLICTS' | 'UNITS' | 'SHED';

type Model = { readonly time: VirtualTime; readonly random: () => number };

const canceled = (message: string, Code: string): Error =>
  Object.assign(new Error(message), { name: 'TransactionCanceledException', CancellationReasons: [{ Code }] });
const conflict = canceled('held by another transaction', 'TransactionConflict');
/** DynamoDB also cancels a transaction without units: the retries are those of a busy table. */
const withoutUnits = canceled('no units', 'ThrottlingError');
const throttled = Object.assign(new Error('no units'), { name: 'ThrottlingException' });
const shed = new Error('shed');

/**
 * Returns what writes to a table, with the retries of the service. One transaction at a time holds an item.
 * @param holdMs milliseconds for which it holds it
 * @param takes takes the units of a write; returns undefined, or what lacks some
 */
export function createWriter({ time, random }: Model, holdMs: number, takes: (needs: readonly Need[]) => unknown) {
  const retry = retrying(time.sleep, random, time.now);
  const heldUntil = new Map<string, number>();
  const counts = { conflicts: 0 };
  const tryOnce = async (needs: readonly Need[], item?: string): Promise<void> => {
    await time.sleep(1 + random() * 2);
    if (item !== undefined && time.now() < (heldUntil.get(item) ?? 0)) {
      counts.conflicts += 1;
      await time.sleep(holdMs / 2);
      throw conflict;
    }
    if (takes(needs) !== undefined) throw item === undefined ? throttled : withoutUnits;
    if (item !== undefined) heldUntil.set(item, time.now() + holdMs);
    await time.sleep(item === undefined ? waits.database.least : holdMs);
  };
  /**
   * @param item what a transaction holds; none for a plain write
   * @param shedAfterMs so many milliseconds after its first try a request gives up
   */
  const write = async (needs: readonly Need[], item?: string, shedAfterMs = Infinity): Promise<Refusal | undefined> => {
    let met: unknown;
    const attempt = () =>
      tryOnce(needs, item).catch((error: unknown) => {
        met = error;
        throw error;
      });
    const onConflict = (_error: unknown, lastedMs: number): void => {
      if (lastedMs > shedAfterMs) throw shed;
    };
    const refusal = (error: unknown) => (error === shed ? 'SHED' : met === conflict ? 'CONFLICTS' : 'UNITS');
    return retry(attempt, onConflict).then(() => undefined, refusal);
  };
  return { write, counts };
}

import { epochSeconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { Asking } from '../outcome.ts';
import { reservedDescriptions } from './reserved.ts';

/**
 * Whether the simulated bank leaves this command without an answer: the first time, if its description asks for that.
 */
export type Silence = (description: string | undefined, reference: string, asking: Asking) => Promise<boolean>;

const rememberedSeconds = 86_400;

/**
 * Remembers in the table, for a day, what was left without an answer; commands with any other description cost nothing.
 */
export function silenceIn(store: Store): Silence {
  return async (description, reference, { companyId, at }) => {
    if (description !== reservedDescriptions.silent) return false;
    const expiresAt = epochSeconds(plusSeconds(at, rememberedSeconds));
    const put = { ...keys.simulatedSilence(companyId, reference), entity: 'SIMULATED_SILENCE', expiresAt };
    const { ok } = await store.writeOne({ put, when: { is: 'absent' } });
    return ok;
  };
}

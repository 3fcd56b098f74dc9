import { liveApart } from './runs.ts';
import type { Life, LifeOptions } from './world/life.ts';

/** The run that fails in the same way with less: fewer faults, fewer companies, fewer steps. */
export async function shorten(run: Life): Promise<Life> {
  const invariant = run.found[0]?.invariant;
  let least = run;
  const tryWith = async (less: Partial<LifeOptions>): Promise<boolean> => {
    const { seed, steps, days, companies, faults } = least;
    const shorter = await liveApart({ seed, steps, companies, faults, ...(days !== undefined && { days }), ...less });
    const isSame = shorter.found[0]?.invariant === invariant;
    if (isSame) least = shorter;
    return isSame;
  };
  for (const faults of ['none', 'some'] as const) if (least.faults === 'all' && (await tryWith({ faults }))) break;
  for (let companies = 1; companies < least.companies; companies += 1) if (await tryWith({ companies })) break;
  for (let part = 2; part <= 16; part *= 2)
    while (least.steps > 20 && (await tryWith({ steps: Math.floor(least.steps * (1 - 1 / part)) })));
  return least;
}

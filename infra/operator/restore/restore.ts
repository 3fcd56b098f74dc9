import type { CommandOutput } from '../command.ts';
import type { RestoreDependencies } from '../target.ts';
import { bringDifferences } from './bring.ts';
import type { ItemDifference } from './compare.ts';
import { compareTables, restoreReadUnits, summary } from './compare.ts';
import { bringSettings, describe, freeze, isFrozen, thaw } from './table-settings.ts';

type Wanted = { readonly companyId?: string | undefined; readonly unitsPerSecond?: number | undefined };
type Print = (text: string) => void;

/** Returns the differences by company and entity. */
export async function compareRestored(given: RestoreDependencies, wanted: Wanted, print: Print) {
  return summary(await differencesOf(given, wanted, print));
}

/**
 * Copies later changes of the current table into the restored one.
 * @throws Error if the current table is writable, or the service may use the restored table already
 */
export async function bringRestored(
  given: RestoreDependencies,
  wanted: Wanted & { readonly keep?: string | undefined },
  print: Print,
): Promise<CommandOutput> {
  await checkFrozen(given);
  const { StreamSpecification } = await describe(given.admin, given.restored.name);
  if (StreamSpecification?.StreamEnabled === true)
    throw new Error(`Cannot copy into ${given.restored.name}: it has a stream, so the service may use it already.`);
  const differences = await differencesOf(given, wanted, print);
  const keep = new Set(wanted.keep?.split(','));
  return bringDifferences({ current: given.current.store, restored: given.restored.store }, differences, keep);
}

/**
 * Applies the settings of the current table to the restored one, and prints the setting to deploy.
 * @throws Error if the current table is writable, or the number of items that would be lost is not `accept`
 */
export async function switchToRestored(
  given: RestoreDependencies,
  { accept = 0, unitsPerSecond }: Omit<Wanted, 'companyId'> & { readonly accept?: number | undefined },
  print: Print,
): Promise<CommandOutput> {
  await checkFrozen(given);
  const forgotten = (await differencesOf(given, { unitsPerSecond }, print)).filter(
    ({ side }) => side !== 'onlyRestored',
  );
  if (forgotten.length !== accept)
    throw new Error(
      `${forgotten.length} items of ${given.current.name} are missing or different in the restored table. restore:bring copies them. ` +
        `--accept ${forgotten.length} gives them up: the service may then repeat payments that they record.`,
    );
  const streamLabel = await bringSettings(given.admin, given.current.name, given.restored.name);
  print('Add this to `data` of the environment in infra/environments.ts, and deploy it.');
  return { restored: `{ tableName: '${given.restored.name}', streamLabel: '${streamLabel}' }` };
}

export async function freezeCurrent({ admin, current }: RestoreDependencies, undo: boolean): Promise<CommandOutput> {
  await (undo ? thaw : freeze)(admin, current.name);
  return { table: current.name, writes: undo ? 'allowed' : 'denied' };
}

async function differencesOf(
  { current, restored, now }: RestoreDependencies,
  { companyId, unitsPerSecond = restoreReadUnits }: Wanted,
  print: Print,
): Promise<readonly ItemDifference[]> {
  const { differences, items } = await compareTables({ current, restored }, { companyId, unitsPerSecond, now: now() });
  print(`Compared ${items} items of ${current.name} with ${restored.name}: ${differences.length} differ.`);
  return differences;
}

/** @throws Error if the current table is writable: items written after the comparison would be lost. */
async function checkFrozen({ admin, current }: RestoreDependencies): Promise<void> {
  if (await isFrozen(admin, current.name)) return;
  throw new Error(`${current.name} still accepts writes: run restore:freeze first.`);
}

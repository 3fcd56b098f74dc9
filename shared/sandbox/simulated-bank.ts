import type { Bank } from '../bank/bank.ts';
import { liveConnections, readBanks } from '../bank/connection.ts';
import { forbiddenByState } from '../core/errors.ts';
import type { Store } from '../platform/table/store.ts';
import type { BankProfile } from './profile.ts';

/**
 * Requires a resource that the tools and the clock can change: one at the simulated bank, or at a bank on this machine,
 * which follows them. Any other bank changes its resources by itself, in real time.
 * @param connection the connection to the bank that has the resource
 * @throws RequestError 409
 */
export async function requireMovable(
  { capabilities }: Pick<Bank, 'capabilities'>,
  companyId: string,
  connection: string | undefined,
): Promise<'simulation' | 'tools'> {
  const { settlementDriver } = await capabilities(companyId, connection);
  if (settlementDriver !== 'bank') return settlementDriver;
  throw movedByBank('id');
}

/** Requires that the company's clock can be turned: each of its banks follows that clock. @throws RequestError 409 */
export async function requireTurnable(store: Store, companyId: string): Promise<'simulation' | 'tools'> {
  const connections = liveConnections(await readBanks(store, companyId));
  if (connections.some(({ control }) => control === undefined)) throw movedByBank('now');
  return connections.length === 0 ? 'simulation' : 'tools';
}

/**
 * Requires that what a profile would change is the simulated bank's: the capabilities of a company with a bank of its
 * own are that bank's. Only a bank on this machine follows other windows. @throws RequestError 409
 */
export async function requireSimulatedBank(
  store: Store,
  companyId: string,
  { profile, schedule }: Partial<BankProfile>,
): Promise<void> {
  const connections = liveConnections(await readBanks(store, companyId));
  const own = (field: string) =>
    forbiddenByState(field, 'INVALID_VALUE', 'The company has a bank of its own, which is not simulated.');
  if (profile !== undefined && connections.length > 0) throw own('profile');
  if (schedule !== undefined && connections.some(({ control }) => control === undefined)) throw own('schedule');
}

function movedByBank(field: string): Error {
  return forbiddenByState(field, 'INVALID_VALUE', 'The company has a bank of its own: the bank moves it.');
}

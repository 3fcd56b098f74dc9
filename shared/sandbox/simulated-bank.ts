import type { Bank } from '../bank/bank.ts';
import { liveConnections, readBanks } from '../bank/connection.ts';
import { forbiddenByState } from '../core/errors.ts';
import type { Store } from '../platform/table/store.ts';

/**
 * Tools and clock stand for the simulated bank: what a bank of the company's own was given, that bank moves, by its own
 * time. A bank on this machine follows them.
 * @param connection that the resource was given to
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

/** The same of all that a company has, by its clock. @throws RequestError 409 */
export async function requireTurnable(store: Store, companyId: string): Promise<'simulation' | 'tools'> {
  const connections = liveConnections(await readBanks(store, companyId));
  if (connections.some(({ control }) => control === undefined)) throw movedByBank('now');
  return connections.length === 0 ? 'simulation' : 'tools';
}

function movedByBank(field: string): Error {
  return forbiddenByState(field, 'INVALID_VALUE', 'The company has a bank of its own: the bank moves it.');
}

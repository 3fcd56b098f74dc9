import { readConnection } from '../bank/connection.ts';
import { forbiddenByState } from '../core/errors.ts';
import type { Store } from '../platform/table/store.ts';

/**
 * Tools and clock stand for the simulated bank: of a company with a bank of its own that bank moves everything, by its
 * own time. A bank on this machine follows the tools.
 * @throws RequestError 409
 */
export async function requireSimulatedBank(store: Store, companyId: string, field: string): Promise<void> {
  const connection = await readConnection(store, companyId);
  if (connection === undefined || /^https:\/\/(?:127\.|localhost|\[::1\])/u.test(connection.apiUrl)) return;
  throw forbiddenByState(field, 'INVALID_VALUE', 'The company has a bank of its own: the bank moves it.');
}

import type { BankClient } from '#shared/bank/calls/bank-client.ts';
import { connections } from '#shared/bank/connections.ts';
import { knownConnections } from '#shared/bank/known-connections.ts';
import type { ScriptedBank } from './scripted-bank.ts';
import { connectedItems, connectionId } from '../support/connected-items.ts';

export const otherCompany = '33333333-3333-4333-8333-333333333333';

/** The clients of two companies' banks in one process: of the first bank's own company, and of `otherCompany`. */
export async function twoBanks(first: ScriptedBank, { apiUrl }: ScriptedBank) {
  const own = await first.connection();
  if (own === undefined) throw new Error('The company is not connected.');
  const writes = connectedItems({
    ...{ ...own, companyId: otherCompany, apiUrl, tokenUrl: `${apiUrl}/oauth/token` },
    callback: { tokenHash: 'e'.repeat(64), subject: 'CN=bank' },
  });
  await first.store.write(writes, 'connect-other');
  const connect = connections({
    ...{ store: first.store, known: knownConnections(first.store, false), now: () => first.clock.now },
    ...{ fetchSecret: () => Promise.resolve(JSON.stringify(first.secret)), allowLocal: true, report: () => undefined },
  });
  return async (companyId: string): Promise<BankClient> => {
    const bank = await connect(companyId, connectionId);
    if (bank === undefined) throw new Error('The company is not connected.');
    return bank.client;
  };
}

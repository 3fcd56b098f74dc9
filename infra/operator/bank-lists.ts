import { commandBank } from '#functions/banks.ts';
import { notFound } from '#shared/core/errors.ts';
import { environments } from '#infra/environments.ts';
import { reader } from '#shared/bank/dialects/dialects.ts';
import type { BankEventDependencies } from '#shared/bank-events/context.ts';
import { workLists } from '#shared/bank-events/work-lists.ts';
import { errorFields } from '#shared/platform/log.ts';
import { connectedBanks } from './bank-client.ts';
import type { BankDependencies } from './target.ts';

type ListsRead = {
  readonly failed: number;
  readonly pending: number;
  readonly counts: Readonly<Record<string, number>>;
};

/**
 * Reads the hourly lists of every connected bank to their end, as the hourly function does. With `daily` it reads the
 * daily lists and compares balances. It applies the bank events that it finds.
 */
export async function readBankLists(
  dependencies: BankDependencies,
  { daily }: { readonly daily: string | undefined },
  print: (text: string) => void,
): Promise<ListsRead> {
  const { store, ids, now } = dependencies;
  const connected = connectedBanks(dependencies);
  // Only the simulated bank reads these settings, and this command calls connected banks only.
  const { pixHost, ispb } = environments.local.orders;
  const bank = commandBank(store, { pixHost, ispb, allowLocalTargets: false }, ids, connected);
  const readerOf: BankEventDependencies['readerOf'] = async ({ companyId, id }) => {
    const found = await connected(companyId, id);
    if (found === undefined) throw notFound('Connection');
    return reader[found.connection.dialect](found, now);
  };
  const run = {
    store,
    now,
    remainingMs: () => Infinity,
    failed: (where: object, error: unknown) => {
      print(JSON.stringify({ ...where, ...errorFields(error), stack: undefined }));
    },
  };
  const deps = { store, ids, now, realNow: now, bank, readerOf };
  const { failed, pending, counts } = await workLists(run, deps, daily === undefined ? 'HOURLY' : 'DAILY');
  return { failed, pending, counts };
}

import { dependenciesOf } from '#sandbox';
import type { BankReader, ReaderOf } from '../bank/ports/reader.ts';
import type { Bank, ChargeBank } from '../bank/bank.ts';
import type { BankConnection } from '../bank/connection.ts';
import { readConnection } from '../bank/connection.ts';
import type { Clock } from '../core/brasilia-time.ts';
import type { Ids } from '../core/identifiers.ts';
import type { Store } from '../platform/table/store.ts';
import type { RetryContext } from '../scheduled-payments/retry.ts';

/** The company of a bank event, and the bank behind one of its connections. */
export type BankEventContext = RetryContext & {
  readonly bank: ChargeBank & Pick<Bank, 'charges' | 'recurrences'>;
  readonly connection: BankConnection;
  readonly reader: BankReader;
};

/**
 * Outcome of a bank event. `MOVED`: the company's resource changed. `SAME`: nothing was new. `UNKNOWN`: the bank or the
 * company has no such resource.
 */
export type BankEventOutcome = 'MOVED' | 'SAME' | 'UNKNOWN';

/** Dependencies of the processing of bank events. */
export type BankEventDependencies = {
  readonly store: Store;
  readonly ids: Ids;
  readonly now: Clock;
  readonly realNow: Clock;
  readonly bank: BankEventContext['bank'];
  readonly readerOf: ReaderOf;
};

/**
 * Returns the context of a connection's bank events, by the company's clock; undefined if the connection does not exist
 * or has ended.
 */
export async function bankEventContext(
  deps: BankEventDependencies,
  companyId: string,
  connectionId: string,
): Promise<BankEventContext | undefined> {
  const connection = await readConnection(deps.store, companyId, connectionId);
  if (connection === undefined || connection.endedAt !== undefined) return undefined;
  const { readerOf, ...shared } = await dependenciesOf(deps, companyId);
  return { ...shared, companyId, requestId: deps.ids.uuid(), connection, reader: await readerOf(connection) };
}

import type { BankReader, ReceivedPix, SentPix, ListedClaim } from '#shared/bank/ports/reader.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import type { Bank } from '#shared/bank/bank.ts';
import type { OpenedRecurrence } from '#shared/bank/ports/recurrences.ts';
import type { RefundState } from '#shared/bank/ports/refunds.ts';
import { applyBankEvent } from '#shared/bank-events/apply-event.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';
import type { BankEventContext, BankEventDependencies } from '#shared/bank-events/context.ts';
import { bankEventContext } from '#shared/bank-events/context.ts';
import type { Extent } from '#shared/bank-events/list-readings.ts';
import type { Time } from '#shared/bank-events/lists.ts';
import { hourlyLists, listNames, windowSeconds, windowsOf } from '#shared/bank-events/list-readings.ts';
import { emptyReport, readPages } from '#shared/bank-events/lists.ts';
import { centavos } from '#shared/core/money.ts';
import { workers } from '#functions/workers.ts';
import { account, companyOne } from '../support/bank-world.ts';
import { storeFor } from '../support/rights.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { connectedItems, connectionId } from '../support/connected-items.ts';

export const chave = '7f1b0f3e-0000-4000-8000-000000000001';
export const e2e = (number: number): string => `E00000000202601151500${String(number).padStart(11, '0')}`;
export const rtrId = (number: number): string => `D99999004202601151500${String(number).padStart(11, '0')}`;
export const paidAt = '2026-01-15T15:00:01.000Z';

/** What a company's bank would say, by its ids; `calls` counts the questions. */
function knownAtBank() {
  const known = {
    received: new Map<string, ReceivedPix>(),
    refunds: new Map<string, RefundState>(),
    recurrences: new Map<string, OpenedRecurrence>(),
    /** Of the recs that have one. */
    locations: new Map<string, number>(),
    charges: new Map<string, NonNullable<Awaited<ReturnType<BankReader['readRecurringCharge']>>>>(),
    sent: new Map<string, SentPix>(),
    claims: new Map<string, ListedClaim>(),
    balance: 0,
    certificateEnd: '2027-01-15T00:00:00.000Z',
    isSilent: false,
    calls: 0,
  };
  const asked = <T>(response: () => T): Promise<T> => {
    known.calls += 1;
    if (known.isSilent) return Promise.reject(new BankUnavailable('The bank did not respond in time.'));
    return Promise.resolve(response());
  };
  const pageOf = <T>(items: readonly T[], page: number) => ({
    items: items.slice(page * 2, page * 2 + 2),
    pages: Math.ceil(items.length / 2),
  });
  const reader: BankReader = {
    readCharge: () => asked(() => undefined),
    readReceivedPix: (endToEndId) => asked(() => known.received.get(endToEndId)),
    readRecurrence: (idRec) => asked(() => known.recurrences.get(idRec)),
    readRecurringCharge: (txid) => asked(() => known.charges.get(txid)),
    readRefund: (_endToEndId, { id }) => asked(() => known.refunds.get(id)),
    readPayout: (idEnvio) => asked(() => known.sent.get(idEnvio)),
    listReceived: (_from, _to, page) => asked(() => pageOf([...known.received.values()], page)),
    listReceivedToKeys: (_from, _to, page) =>
      asked(() =>
        pageOf(
          [...known.received.values()].filter(({ txid }) => txid === undefined),
          page,
        ),
      ),
    listSent: (_from, _to, page) => asked(() => pageOf([...known.sent.values()], page)),
    listClaims: (_from, _to, page) => asked(() => pageOf([...known.claims.values()], page)),
    listRecurrences: (_from, _to, page) =>
      asked(() =>
        pageOf(
          [...known.recurrences].map(([idRec, state]) => {
            const locationId = known.locations.get(idRec);
            return { idRec, state, ...(locationId !== undefined && { locationId }) };
          }),
          page,
        ),
      ),
    listRecurringCharges: (_from, _to, page) => asked(() => pageOf([...known.charges.values()], page)),
    certificateExpiry: () => Promise.resolve(known.certificateEnd),
    balance: () => asked(() => centavos(known.balance)),
  };
  return { known, reader };
}

/** Reads the whole windows of an extent, one list after the other. */
export async function readLists(
  context: BankEventContext,
  extent: Extent,
  time: Time = { remainingMs: () => Infinity },
) {
  const report = emptyReport();
  const readAt = context.now();
  const lists = extent === 'DAILY' ? listNames : hourlyLists;
  for (const window of windowsOf(context, lists, windowSeconds[extent]))
    await readPages(context, window, report, { time });
  return { ...report, readAt };
}

/** New commands keep the connection; behind it is the bank that the world has. */
function giveTo(connection: string, bank: object): void {
  for (const port of Object.values(bank)) if (typeof port === 'object') throughConnection(port as object);
  const { capabilities } = bank as Pick<Bank, 'capabilities'>;
  Object.assign(bank, {
    connectionOf: () => Promise.resolve(connection),
    capabilities: (companyId: string) => capabilities(companyId, undefined),
  });
}

function throughConnection(port: object): void {
  for (const [name, call] of Object.entries(port) as [string, unknown][])
    if (typeof call === 'function')
      Object.assign(port, {
        [name]: (order: unknown, context: object) =>
          (call as (...given: unknown[]) => unknown)(order, { ...context, connection: undefined }),
      });
    else throughConnection(call as object);
}

/**
 * A world whose company has a bank of its own, and that bank as a map of its responses.
 *
 * @param worker receives the bank's events, by its rights on the table
 */
export async function connect(
  world: {
    readonly deps: Omit<BankEventDependencies, 'readerOf' | 'bank'>;
    readonly bank: BankEventDependencies['bank'];
    readonly store: Store;
    readonly ids: Ids;
  },
  worker: 'apply-callbacks' | 'read-bank-lists' = 'apply-callbacks',
) {
  const { known, reader } = knownAtBank();
  const connection = {
    id: connectionId,
    clientId: 'id',
    companyId: companyOne,
    dialect: 'EFI',
    apiUrl: 'https://bank.example',
    tokenUrl: 'https://bank.example/oauth/token',
    secret: 'banking-order/test/bank/one',
    callback: { tokenHash: '0'.repeat(64), subject: 'CN=bank.example' },
    accounts: { [account]: { chave, agencia: '0001', conta: '1234567', tipoConta: 'PAGAMENTO' } },
    createdAt: '2026-01-01T00:00:00.000Z',
  } as const;
  await world.store.write(connectedItems(connection), world.ids.uuid());
  const store = storeFor(workers[worker].access, world.deps.store);
  giveTo(connectionId, world.bank);
  const events: BankEventDependencies = {
    ...world.deps,
    store,
    bank: world.bank,
    readerOf: () => Promise.resolve(reader),
  };
  return {
    known,
    events,
    hear: async (one: BankEvent) => {
      const context = await bankEventContext(events, companyOne, connectionId);
      if (context === undefined) throw new Error('The company has no connection.');
      return applyBankEvent(context, one);
    },
    /** Money that comes in at the bank. */
    pays: (number: number, txid: string | undefined, amount: number, more: Partial<ReceivedPix> = {}): BankEvent => {
      const endToEndId = e2e(number);
      const pix = { endToEndId, amount: centavos(amount), at: paidAt, returns: [], chave, ...more };
      known.received.set(endToEndId, { ...pix, ...(txid !== undefined && { txid }) });
      return { kind: 'PIX', endToEndId, ...(txid !== undefined && { txid }) };
    },
  };
}

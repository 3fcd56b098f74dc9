import type * as z from 'zod';
import type { Facts } from '#shared/bank/about.ts';
import { requireAbout } from '#shared/bank/about.ts';
import { understood } from '#shared/bank/calls/outcomes.ts';
import type { Connected } from '#shared/bank/connected.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import type { BankPage, BankReader, Listed, ReceivedPix, SentPix } from '#shared/bank/ports/reader.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { brasiliaDate, plusDays } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import { withHyphens } from '#shared/core/identifiers.ts';
import { addCentavos } from '#shared/core/money.ts';
import { accountKeys } from './connecting.ts';
import { accountLists, readPage } from './lists.ts';
import { AccountBody, ReceivedPixBody, SentPixBody, TedBody } from './shapes.ts';
import { listedPix, listedTed, receivedPix } from './states.ts';

/** The largest page that the bank gives. */
const itemsPerPage = 30;
/** Milliseconds that a page may take: a worker waits for it, no caller. */
const pageTimeoutMs = 30_000;

/** An entry of a list, as it was understood. */
type Entry<State> = { readonly state: State; readonly createdAt: Instant };

/** A list of one account. `isNewestFirst`: the bank takes an order, so that older pages need not be read. */
type Source<State> = {
  readonly key: string;
  readonly list: (typeof accountLists)[keyof typeof accountLists];
  readonly isNewestFirst: boolean;
  /** Undefined for an entry that is malformed or about another account. */
  readonly read: (entry: unknown) => Entry<State> | undefined;
};

/** The reader of a connection: what was paid and received, and the balance. It opens no charges and recurrences. */
export function qitechReader({ client, connection }: Pick<Connected, 'client' | 'connection'>): BankReader {
  const { received, sent } = sourcesOf({ client, connection });
  const list = lists(client);
  return {
    readReceivedPix: async (end_to_end_id) => {
      const pix = await readOne(client, received, { end_to_end_id });
      if (pix !== undefined) requireNamed(client, { end_to_end_id }, { end_to_end_id: pix.endToEndId });
      return pix;
    },
    readPayout: async (reference) => {
      const payment = await readOne(client, sent, { request_control_key: withHyphens(reference) });
      if (payment !== undefined)
        requireNamed(client, { request_control_key: reference }, { request_control_key: payment.reference });
      return payment;
    },
    listReceived: list(received),
    listReceivedToKeys: list(received),
    listSent: list(sent),
    readCharge: nothing,
    readRecurrence: nothing,
    readRecurringCharge: nothing,
    readRefund: async (end_to_end_id, { id, amount }) => {
      const pix = await readOne(client, received, { end_to_end_id });
      const own = pix?.returns.find((returned) => returned.id === id);
      if (own === undefined) return undefined;
      const named = { end_to_end_id: pix?.endToEndId, transfer_amount: own.amount };
      requireNamed(client, { end_to_end_id, transfer_amount: amount }, named);
      return { status: 'SETTLED', returnId: own.returnId, at: own.at };
    },
    listClaims: emptyList,
    listRecurrences: emptyList,
    listRecurringCharges: emptyList,
    certificateExpiry: client.certificateExpiry,
    balance: async () => {
      const balances: Centavos[] = [];
      for (const { key } of accountKeys(connection)) balances.push(await balanceOf(client, key));
      return addCentavos(...balances);
    },
  };
}

/** Returns the lists of every account of a connection. */
function sourcesOf({ client, connection }: Pick<Connected, 'client' | 'connection'>) {
  const reading =
    <Body extends { readonly created_at: Instant; readonly account_key?: string | null | undefined }, State>(
      key: string,
      shape: z.ZodType<Body>,
      stateOf: (body: Body) => State,
    ) =>
    (entry: unknown): Entry<State> | undefined =>
      understood(client, entry, shape, (body) => {
        requireAbout(client, { account_key: key }, { account_key: body.account_key ?? undefined });
        return { state: stateOf(body), createdAt: body.created_at };
      });
  const received = accountKeys(connection).map(({ id, key }): Source<ReceivedPix> => {
    const read = reading(key, ReceivedPixBody, (body) => receivedPix(body, id, client));
    return { key, list: accountLists.receivedPix, isNewestFirst: true, read };
  });
  const sent = accountKeys(connection).flatMap(({ key }): readonly Source<SentPix>[] => {
    const readPix = reading(key, SentPixBody, (body) => listedPix(body, client));
    const readTed = reading(key, TedBody, listedTed);
    return [
      { key, list: accountLists.sentPix, isNewestFirst: true, read: readPix },
      { key, list: accountLists.sentTed, isNewestFirst: false, read: readTed },
    ];
  });
  return { received, sent };
}

/** Returns the one entry with this id in the lists of all accounts. @throws BankUnavailable for several */
async function readOne<State>(
  client: Connected['client'],
  sources: readonly Source<State>[],
  id: Readonly<Record<string, string>>,
): Promise<State | undefined> {
  const found: State[] = [];
  for (const source of sources)
    for (const entry of await readPage(client, source, id, AbortSignal.timeout(pageTimeoutMs)))
      found.push(required(source.read(entry)).state);
  if (found.length > 1) throw new BankUnavailable('The bank names several payments for one id.');
  return found[0];
}

/** The service opens no such resource at this bank. */
const nothing = () => Promise.resolve(undefined);
const emptyList = () => Promise.resolve({ items: [], pages: 0 });

/**
 * Returns the balance of an account. Its pages do not say whether `balance` holds what is blocked: while money is
 * blocked, it is not compared.
 * @throws BankUnavailable
 */
async function balanceOf(client: Connected['client'], key: string): Promise<Centavos> {
  const { data } = AccountBody.safeParse(await client.query({ method: 'GET', path: `/account/${key}` }));
  const { account_key, balance, blocked_balance } = required(data);
  requireNamed(client, { account_key: key }, { account_key });
  if (blocked_balance !== 0) throw new BankUnavailable('The bank blocks money of the account.');
  return balance;
}

function requireNamed(client: Connected['client'], asked: Facts, named: Facts): void {
  try {
    requireAbout(client, asked, named);
  } catch {
    throw new BankUnavailable('The bank response names another resource than the request.');
  }
}

/**
 * Returns the lists of a connection. Page n has page n of each source: the bank does not say how many there are, so a
 * full page means one more, unless all of it is older than the window. Days are the bank's, in an unknown zone: the
 * window has one more.
 */
function lists(client: Connected['client']) {
  return <State>(sources: readonly Source<State>[]): Listed<State> =>
    async (from, to, number, withinMs = pageTimeoutMs): Promise<BankPage<State>> => {
      const signal = AbortSignal.timeout(Math.max(0, Math.min(withinMs, pageTimeoutMs)));
      const days = { date_from: brasiliaDate(from), date_to: plusDays(to.slice(0, 10), 1) };
      const counted = { page: `${number + 1}`, page_size: `${itemsPerPage}` };
      const pages = await Promise.all(
        sources.map(async (source) => {
          const order = source.isNewestFirst ? { order_by: 'desc' } : {};
          const entries = await readPage(client, source, { ...days, ...counted, ...order }, signal);
          const read = entries.map((entry) => source.read(entry));
          const isOlder = source.isNewestFirst && read.every((one) => one !== undefined && one.createdAt < from);
          return { read, isLast: entries.length < itemsPerPage || isOlder };
        }),
      );
      const read = pages.flatMap((page) => page.read);
      const items = read.filter((one) => one !== undefined).map(({ state }) => state);
      const isEnd = pages.every(({ isLast }) => isLast);
      return { items, pages: isEnd ? number + 1 : number + 2, unreadable: read.length - items.length };
    };
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new BankUnavailable('The bank response is invalid.');
  return value;
}

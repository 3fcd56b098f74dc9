import type { Cob, Session } from '@banking-order/fake-bank';
import { childOrderId } from '#shared/core/identifiers.ts';
import { parsePayIn } from '#shared/pay-ins/store.ts';
import { parsePayout } from '#shared/payouts/store.ts';
import { parseRefund } from '#shared/refunds/store.ts';
import { parseSubscription } from '#shared/subscriptions/store.ts';
import type { Item } from '#shared/platform/table/store.ts';
import { balanceOf } from './api-pix-books.ts';
import type { Check, Problem } from './bank-checks.ts';

// Where things are: each at the one client of the bank that its record names, whichever serves the account now.

const itemsOf = (items: readonly Item[], entity: string): Item[] => items.filter((item) => item['entity'] === entity);

/** The clients behind connections. */
function clientsOf(items: readonly Item[]): (connection: string | undefined) => string | undefined {
  const clients = new Map(itemsOf(items, 'BANK_CONNECTION').map(({ id, clientId }) => [id, clientId as string]));
  return (connection) => clients.get(connection);
}

/** The client whose charge the code of a pay-in leads to; undefined for one that has none. */
export function shownAt(items: readonly Item[], txid: string): string | undefined {
  const item = itemsOf(items, 'PAY_IN').find(({ conciliationId }) => conciliationId === txid);
  return item && clientsOf(items)(parsePayIn(item).connection);
}

/**
 * Charges that no response has: a request whose response was lost created one, and its repetition another one at
 * another bank, because the account had moved meanwhile.
 */
export function hiddenCharges(sessions: readonly Session[], items: readonly Item[]): ReadonlySet<Cob> {
  const hidden = sessions.flatMap(({ client, drawer }) =>
    drawer.list('cob').filter(({ txid }) => (shownAt(items, txid) ?? client.id) !== client.id),
  );
  return new Set(hidden);
}

/** Checks that nothing was carried out at two clients, that records name the right one, and what each client has. */
export function checkPlaces(
  sessions: readonly Session[],
  items: readonly Item[],
  brought: ReadonlyMap<string, number>,
): readonly Problem[] {
  const problems: Problem[] = [];
  const expect = (isTrue: boolean, check: Check, text: string): void => {
    if (!isTrue) problems.push({ check, text });
  };
  const at = new Map<string, Set<string>>();
  const is = (client: string, name: string): void => void at.set(name, (at.get(name) ?? new Set()).add(client));
  for (const { client, drawer } of sessions) {
    const own = new Set(client.accounts.map(({ chave }) => chave));
    const total = balanceOf(drawer, (chave) => own.has(chave), brought.get(client.id) ?? 0);
    expect(client.balance === total, 'money', `${client.id} has ${client.balance}, its documents ${total}`);
    for (const { idEnvio } of drawer.list('payout')) is(client.id, `payout ${idEnvio}`);
    for (const { devolucoes } of drawer.list('pix')) for (const { id } of devolucoes) is(client.id, `refund ${id}`);
    for (const { txid, idRec } of drawer.list('cobr')) {
      is(client.id, `cobr ${txid}`);
      expect(drawer.find('rec', idRec) !== undefined, 'elsewhere', `cobr ${txid} is not where its rec is`);
    }
    for (const { idRec } of drawer.list('rec')) is(client.id, `rec ${idRec}`);
    // One that was never shown may be elsewhere: it must never be paid.
    for (const { txid, payments } of drawer.list('cob')) if (payments.length > 0) is(client.id, `cob ${txid}`);
  }
  for (const [name, clients] of at) expect(clients.size === 1, 'doubled', `${name} is at ${[...clients].join()}`);
  const clientOf = clientsOf(items);
  const named = (name: string, connection: string | undefined): void => {
    const client = clientOf(connection);
    const clientIds = [...(at.get(name) ?? [])];
    expect(
      client !== undefined && clientIds.every((one) => one === client),
      'elsewhere',
      `${name} is at ${clientIds.join()}, its record says ${client}`,
    );
  };
  const bare = (id: string): string => id.replaceAll('-', '');
  for (const { id, connection } of itemsOf(items, 'PAYOUT').map(parsePayout)) {
    named(`payout ${bare(id)}`, connection);
    for (let sequence = 1; sequence <= 5; sequence += 1)
      named(`payout ${bare(childOrderId(id, sequence))}`, connection);
  }
  const payIns = itemsOf(items, 'PAY_IN').map(parsePayIn);
  const connectionOf = new Map(payIns.map(({ id, connection }) => [id, connection]));
  for (const { conciliationId, connection } of payIns) named(`cob ${conciliationId}`, connection);
  for (const { id, orderId } of itemsOf(items, 'REFUND').map(parseRefund))
    named(`refund ${id}`, connectionOf.get(orderId));
  for (const { providerId, connection } of itemsOf(items, 'SUBSCRIPTION').map(parseSubscription))
    named(`rec ${providerId}`, connection);
  return problems;
}

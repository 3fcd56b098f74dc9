import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { connectionUpdate, readConnection } from '#shared/bank/connection.ts';
import { brl } from '#shared/contract/examples.ts';
import { parseAmount } from '#shared/core/money.ts';
import { chave, connect, e2e, rtrId } from '../bank-events/bank-events-world.ts';
import type { World } from '../support/bank-world.ts';
import { account, bankWorld, companyOne, noon } from '../support/bank-world.ts';
import { connectionId } from '../support/connected-items.ts';
import { creditCalls, payer } from '../support/credits.ts';
import { refused } from '../support/refusals.ts';

/** The simulation tools of credits for a company whose bank runs on this machine: the bank does it and calls back. */

type Deed = { readonly name: string; readonly body: Readonly<Record<string, unknown>> };

let world: World;
let calls: ReturnType<typeof creditCalls>;
let bank: Awaited<ReturnType<typeof connect>>;
let deeds: Deed[];
/** What the bank does before it answers a deed. */
let act: (deed: Deed) => Promise<unknown>;
beforeEach(async () => {
  world = bankWorld();
  calls = creditCalls(world);
  await world.openAccount(0);
  world.setCapabilities({ settlementDriver: 'tools', isPolled: true });
  bank = await connect(world);
  deeds = [];
  const server = createServer((request, response) => {
    void json(request).then(async (body) => {
      const deed = { name: request.url ?? '', body: body as Deed['body'] };
      deeds.push(deed);
      response.end(JSON.stringify(await act(deed)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = await readConnection(world.store, companyOne, connectionId);
  await world.store.writeOne(connectionUpdate(connection!, { control: { url, client: 'id' } }));
});
/** A payer pays at the bank, which tells of it at once. */
const pays = async ({ body }: Deed): Promise<unknown> => {
  const { txid, valor } = body as { readonly txid?: string; readonly valor: string };
  await bank.hear(bank.pays(deeds.length, txid, parseAmount(valor)!, { payer }));
  return [{ endToEndId: e2e(deeds.length) }];
};
const receive = (more: object = {}) =>
  world.receiveCredit({ companyId: companyOne, body: { accountId: account, amount: brl('25.00'), ...more } });

test('money to the key is paid at the bank by its payer, and the answer names the credit once it is booked', async () => {
  act = pays;
  const response = await receive({ payer: { name: payer.name, document: payer.document } });
  const [credit] = world.items('CREDIT');
  expect(response).toMatchObject({ status: 201, body: { id: credit?.['id'] } });
  expect(credit).toMatchObject({ reason: 'NO_CHARGE', amount: 2500, endToEndId: e2e(1), connection: connectionId });
  const pagador = { nome: payer.name, cpf: payer.document.number };
  expect(deeds).toEqual([{ name: '/pay', body: { client: 'id', chave, valor: '25.00', pagador } }]);
});

test('money to the QR code of a pay-in is paid by its txid, and is a credit of another amount', async () => {
  act = pays;
  const orderId = await calls.payIn();
  expect((await receive({ orderId, amount: brl('24.00') })).status).toBe(201);
  expect(world.items('CREDIT')).toMatchObject([{ reason: 'OTHER_AMOUNT', orderId, amount: 2400 }]);
  const body = { client: 'id', txid: orderId.replaceAll('-', ''), force: true, valor: '24.00' };
  expect(deeds).toEqual([{ name: '/pay', body }]);
});

test('money is refused when the bank refuses it, or does not run', async () => {
  act = () => Promise.reject(new Error('unused'));
  const connection = await readConnection(world.store, companyOne, connectionId);
  await world.store.writeOne(connectionUpdate(connection!, { control: { url: 'http://127.0.0.1:9', client: 'id' } }));
  expect((await receive()).status).toBe(503);
  expect(world.items('CREDIT')).toEqual([]);
});

test('the tool has the bank settle a return by REFUNDED, and by no other status', async () => {
  await bank.hear(bank.pays(7, undefined, 2500));
  const id = world.items('CREDIT')[0]?.['id'] as string;
  const returnId = await calls.returned(id, '10.00');
  refused(await world.force(returnId, 'PAID'), 409, ['status:TRANSITION_NOT_ALLOWED']);
  expect(deeds).toEqual([]);
  act = async () => {
    bank.known.refunds.set(returnId, { status: 'SETTLED', returnId: rtrId(7), at: noon });
    return bank.hear({ kind: 'RETURN', endToEndId: e2e(7), id: returnId });
  };
  const response = await world.force(returnId.toUpperCase(), 'REFUNDED');
  expect(response.text).toContain('status PENDING → SETTLED');
  const body = { client: 'id', endToEndId: e2e(7), id: returnId, status: 'DEVOLVIDO' };
  expect(deeds).toEqual([{ name: '/end-refund', body }]);
  expect(await calls.record(id)).toMatchObject({ status: 'OPEN', returnedAmount: brl('10.00') });
});

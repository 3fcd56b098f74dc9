import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bankReader } from '#shared/bank/dialects/efi/reader.ts';
import { report } from '#shared/bank/report.ts';
import { bankEventContext } from '#shared/bank-events/context.ts';
import { connectToLocalBank } from '#test/bank/local-bank-connection.ts';
import { control, openLocalBank } from '#test/support/api-pix/client.ts';
import { companyOne, payInBody, payoutBody } from '../support/bank-world.ts';
import { connectionId } from '../support/connected-items.ts';
import { collectErrors } from '../support/logged.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentWorld } from '../support/payment-world.ts';
import { connect, readLists } from './bank-events-world.ts';

// A bank over real HTTP that gives one of several payments a status of a later version.

let world: PaymentWorld;
let errors: ReturnType<typeof collectErrors>;
beforeEach(async () => {
  errors = collectErrors();
  world = await paymentWorld();
  world.setCapabilities({ isPolled: true });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const txidOfPayIn = async (): Promise<string> => {
  const { body } = await world.createPayIn({ companyId: companyOne, body: payInBody(), key: crypto.randomUUID() });
  return (body as { id: string }).id.replaceAll('-', '');
};
const payout = async (): Promise<string> => {
  world.bank.payouts.prepare = () => Promise.resolve({});
  world.bank.payouts.send.submit = () =>
    Promise.resolve({ outcome: 'DONE', state: { status: 'ACCEPTED', returns: [] } });
  const { body } = await world.createPayout({ companyId: companyOne, body: payoutBody(), key: crypto.randomUUID() });
  return (body as { id: string }).id;
};
const statusOf = async (id: string): Promise<unknown> =>
  ((await world.getPayout({ companyId: companyOne, params: { id } })).body as { status: unknown }).status;
const heldMoney = () => world.items('LEDGER_ENTRY').reduce((total, { reserved }) => total + Number(reserved), 0);

test('a status of a later version leaves its payment as it is, and the others of its list are applied', async () => {
  await using open = await openLocalBank();
  const connected = await connectToLocalBank(open.bank, () => '2030-01-15T15:00:00.000Z', report);
  const events = await connect(world, 'read-bank-lists');
  for (const number of [1, 2]) await events.hear(events.pays(number, await txidOfPayIn(), 2500));
  const ids = [await payout(), await payout(), await payout(), await payout()];
  const references = ids.map((id) => id.replaceAll('-', ''));
  for (const [place, idEnvio] of references.entries()) {
    const body = { valor: '10.00', pagador: { chave: open.chave }, favorecido: { chave: '52998224725' } };
    expect(await open.api('PUT', `/v3/gn/pix/${idEnvio}`, body)).toMatchObject({ status: 201 });
    const status = place === 3 ? 'NAO_REALIZADO' : 'REALIZADO';
    await control(open.bank, 'settle-payout', { idEnvio, status, ...(place === 3 && { codigo: 'AC03' }) });
  }
  const context = await bankEventContext(events.events, companyOne, connectionId);
  if (context === undefined) throw new Error('The company has no connection.');
  const now = () => '2030-01-15T16:00:00.000Z';
  const read = () => readLists({ ...context, now, reader: bankReader(connected.client, now) }, 'HOURLY');

  await control(open.bank, 'fault', { fault: 'NEW_VALUE', path: '^/v2/gn/pix/enviados$', id: references[1] });
  expect(await read()).toMatchObject({ missed: 3, failed: 1 });
  expect(await Promise.all(ids.map(statusOf))).toEqual(['PAID', 'PENDING', 'PAID', 'ERROR']);
  expect(heldMoney()).toBe(1000);
  expect(errors).toMatchObject([
    { message: 'Bank sent a value that the service does not know', field: 'enviado.status', value: 'VALOR_NOVO' },
    { message: 'List contained unreadable items', list: 'enviados', count: 1, ids: references[1] },
  ]);

  await control(open.bank, 'clear-faults');
  expect(await read()).toMatchObject({ missed: 1, failed: 0 });
  expect(await statusOf(ids[1] ?? '')).toBe('PAID');
  expect(heldMoney()).toBe(0);
});

import { beforeEach, describe, expect, test } from 'vitest';
import { brl } from '#shared/contract/examples.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { e2e } from '../bank-events/bank-events-world.ts';
import type { World } from '../support/bank-world.ts';
import { account, bankWorld, companyOne, noon, otherCompany } from '../support/bank-world.ts';
import { creditCalls, payer } from '../support/credits.ts';
import { refused } from '../support/refusals.ts';

/** The simulation tools of credits: money comes as a payer sends it, and goes back as the bank returns it. */

const nobody = '99999999-9999-4999-8999-999999999900';
let world: World;
let calls: ReturnType<typeof creditCalls>;
beforeEach(async () => {
  world = bankWorld();
  calls = creditCalls(world);
  await world.openAccount(0);
});
const receive = (more: object = {}, companyId = companyOne) =>
  world.receiveCredit({ companyId, body: { accountId: account, amount: brl('25.00'), ...more } });

describe('the tool that receives money', () => {
  test('the tool books a credit without order from a made-up payer at another bank, and answers with its status', async () => {
    const response = await receive();
    expect(response.status, response.text).toBe(201);
    const { id, description } = response.body as { readonly id: string; readonly description: string };
    expect(description).toContain(`Credit ${id} of 25.00: OPEN. `);
    const record = await calls.record(id);
    expect(record).toMatchObject({
      ...{
        accountId: account,
        amount: brl('25.00'),
        reason: 'NO_CHARGE',
        status: 'OPEN',
        receivedAt: noon,
        returns: [],
      },
      endToEndId: expect.stringMatching(/^E[0-9A-Z]{8}202601151500[0-9A-Za-z]{11}$/u) as string,
      payer: { bank: { ispb: expect.stringMatching(/^(?!99999004)\d{8}$/u) as string } },
    });
    expect(record).not.toHaveProperty('orderId');
    expect(await calls.balance()).toEqual(['25.00', '0.00']);
    expect(calls.told()).toEqual(['CREDIT.RECEIVED']);
  });

  test('books as many credits as it is called', async () => {
    const ids = [await calls.received(), await calls.received()];
    expect(new Set(ids).size).toBe(2);
    expect(await calls.balance()).toEqual(['50.00', '0.00']);
  });

  test('lets the payer pay whom the request names', async () => {
    const { name, document } = payer;
    expect(await calls.record(await calls.received('1.00', { payer: { name, document } }))).toMatchObject({
      payer: { name, document },
    });
  });

  test.each([
    ['PAID', '25.00', 'SECOND_PAYMENT'],
    ['PAID', '24.00', 'SECOND_PAYMENT'],
    ['CANCELED', '25.00', 'TOO_LATE'],
    ['EXPIRED', '25.00', 'TOO_LATE'],
    ['ERROR', '1.00', 'TOO_LATE'],
    ['PENDING', '24.99', 'OTHER_AMOUNT'],
  ])('books what comes to the QR code of a pay-in of 25.00 that is %s, %s, as %s', async (status, value, reason) => {
    const orderId = await calls.payIn();
    if (status !== 'PENDING') expect((await world.force(orderId, status)).status).toBe(200);
    const before = await calls.payInRecord(orderId);
    const id = await calls.received(value, { orderId });
    expect(await calls.record(id)).toMatchObject({ reason, orderId, amount: brl(value), status: 'OPEN' });
    expect(await calls.payInRecord(orderId)).toEqual(before);
  });

  test('names the order in lower case when the request does in capitals', async () => {
    const orderId = await calls.payIn();
    const id = await calls.received('1.00', { orderId: orderId.toUpperCase(), accountId: account.toUpperCase() });
    expect(await calls.record(id)).toMatchObject({ orderId, accountId: account });
  });

  test('refuses the amount of a pending pay-in, which would pay it', async () => {
    const orderId = await calls.payIn();
    const before = world.items();
    refused(await receive({ orderId }), 409, ['amount:INVALID_VALUE']);
    expect(world.items()).toEqual(before);
  });

  test('the tool is 404 for an account or pay-in that is unknown, of another account, or of another company', async () => {
    const [other, foreign] = ['bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb', 'dddddddd-dddd-4ddd-8ddd-dddddddddddd'];
    await world.openAccount(0, { id: other });
    await world.openAccount(0, { id: foreign, companyId: otherCompany });
    const orderId = await calls.payIn();
    const before = world.items();
    refused(await receive({ accountId: nobody }), 404);
    refused(await receive({ orderId: nobody }), 404);
    refused(await receive({ orderId, accountId: other }), 404);
    refused(await receive({ accountId: foreign }), 404);
    refused(await receive({}, otherCompany), 404);
    refused(await receive({ orderId, accountId: foreign }, otherCompany), 404);
    expect(world.items()).toEqual(before);
  });

  test('is refused when the company has a bank of its own, which receives by itself', async () => {
    world.setCapabilities({ settlementDriver: 'bank' });
    const before = world.items();
    refused(await receive(), 409, ['id:INVALID_VALUE']);
    expect(world.items()).toEqual(before);
  });

  test.each([0, '0.00', '-1.00', '1.001'])('is 400 when its amount is %j', async (value) => {
    refused(await receive({ amount: { currency: 'BRL', value } }), 400, ['amount.value:INVALID_FORMAT']);
  });
});

describe('the tool REFUNDED on the id of a return', () => {
  let id: string;
  let returnId: string;
  beforeEach(async () => {
    id = await calls.received();
    returnId = await calls.returned(id, '10.00');
    world.clock.now = plusSeconds(noon, 60);
  });

  test('the tool settles that return, and answers with the status of it and of its credit', async () => {
    const response = await world.force(returnId, 'REFUNDED');
    expect(response).toMatchObject({ status: 200, body: { id: returnId } });
    const { description } = response.body as { readonly description: string };
    expect(description).toContain(
      `Return ${returnId} of 10.00: status PENDING → SETTLED; credit ${id}: status OPEN → OPEN. `,
    );
    const rest = await calls.returned(id);
    expect((await world.force(rest, 'REFUNDED')).text).toContain(`credit ${id}: status OPEN → RETURNED. `);
    expect((await calls.record(id)).returns.map(({ status }) => status)).toEqual(['SETTLED', 'SETTLED']);
  });

  test('takes the id in capitals', async () => {
    expect((await world.force(returnId.toUpperCase(), 'REFUNDED')).status).toBe(200);
    expect((await calls.record(id)).returns).toMatchObject([{ returnId, status: 'SETTLED' }]);
  });

  test('with ERROR fails it, and its money is available again', async () => {
    const before = await calls.balance();
    const response = await world.force(returnId, 'ERROR');
    expect([response.status, response.text], response.text).toEqual([200, expect.stringContaining('PENDING → FAILED')]);
    expect((await calls.record(id)).returns).toMatchObject([{ returnId, status: 'FAILED' }]);
    expect(await calls.balance()).not.toEqual(before);
    expect(world.notifications().at(-1)).toMatchObject({ event: 'CREDIT.RETURN_FAILED' });
  });

  test.each(['PAID', 'CANCELED', 'EXPIRED'])('is not the tool %s, which is refused', async (status) => {
    const before = world.items();
    const response = await world.force(returnId, status);
    refused(response, 409, ['status:TRANSITION_NOT_ALLOWED']);
    expect(response.text).toContain(
      `${status} is not allowed: the status is PENDING; allowed from it: REFUNDED, ERROR.`,
    );
    expect(world.items()).toEqual(before);
  });

  test('is refused when the return has settled', async () => {
    await world.force(returnId, 'REFUNDED');
    const before = world.items();
    refused(await world.force(returnId, 'REFUNDED'), 409, ['status:TRANSITION_NOT_ALLOWED']);
    expect(world.items()).toEqual(before);
  });

  test('the tool is 404 for an unknown return and for one of another company', async () => {
    refused(await world.force('f'.repeat(32), 'REFUNDED'), 404);
    refused(await world.force(returnId, 'REFUNDED', otherCompany), 404);
  });

  test('settles it once when it is called twice at once', async () => {
    const responses = await Promise.all([world.force(returnId, 'REFUNDED'), world.force(returnId, 'REFUNDED')]);
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await calls.balance()).toEqual(['15.00', '0.00']);
    expect(calls.told()).toEqual(['CREDIT.RECEIVED', 'CREDIT.RETURNED']);
  });

  test('is refused when the credit is at a bank that settles by itself', async () => {
    const atBank = await calls.booked(e2e(3), 700);
    const open = await calls.returned(atBank);
    world.setCapabilities({ settlementDriver: 'bank' });
    refused(await world.force(open, 'REFUNDED'), 409, ['id:INVALID_VALUE']);
  });
});

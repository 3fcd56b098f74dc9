import { beforeAll, describe, expect, test } from 'vitest';
import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import { GetSubscription } from '#functions/subscriptions/get/contract.ts';
import { readErrorResponse } from '@banking-order/partner-tools';
import { first, second } from './partners.ts';
import type { Named } from './requests.ts';
import { everyRoute, makeOneOfEach, unknownIds } from './requests.ts';
import { refused } from '../support/refusals.ts';

let ours: Named;
beforeAll(async () => {
  ours = await makeOneOfEach(first);
});

const naming = everyRoute().filter(({ names }) => names);
const listing = everyRoute().filter(({ names, contract }) => !names && contract.method === 'GET');

describe('another company', () => {
  test.each(naming)(
    'cannot distinguish our resources from unknown ones: $contract.operationId',
    async ({ contract, ask }) => {
      const foreign = readErrorResponse(contract, await second.answer(contract, ask(ours)));
      const unknown = readErrorResponse(contract, await second.answer(contract, ask(unknownIds())));
      refused(foreign, 404);
      expect(foreign.received.text).toBe(unknown.received.text);
      const visible = ({ received }: typeof foreign) => Object.keys(received.headers).toSorted();
      expect(visible(foreign)).toEqual(visible(unknown));
    },
  );

  test('leaves our subscription and pay-in unchanged when it calls every operation with our ids', async () => {
    const read = async () => [
      (await first.call(GetSubscription, { params: { id: ours.subscriptionId } })).received.text,
      (await first.call(GetPayIn, { params: { id: ours.payInId } })).received.text,
    ];
    const before = await read();
    for (const { contract, ask } of naming) await second.answer(contract, ask(ours));
    expect(await read()).toEqual(before);
  });

  test.each(listing)(
    'sees no id and no secret of ours in its lists: $contract.operationId',
    async ({ contract, ask }) => {
      const { status, text } = await second.answer(contract, { ...ask(ours), query: {} });
      expect(status).toBe(200);
      for (const secret of [...Object.values(ours), first.companyId, first.clientId, first.webhookSecret])
        expect(text).not.toContain(secret);
    },
  );
});

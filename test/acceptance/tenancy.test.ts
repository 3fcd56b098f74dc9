import { beforeAll, describe, expect, test } from 'vitest';
import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import { GetSubscription } from '#functions/subscriptions/get/contract.ts';
import { readErrorResponse } from '@banking-order/partner-tools';
import { first, second } from './partners.ts';
import type { Named } from './requests.ts';
import { everyRoute, makeOneOfEach, unknownIds } from './requests.ts';
import { refused } from '../support/refusals.ts';

let ownIds: Named;
beforeAll(async () => {
  ownIds = await makeOneOfEach(first);
});

const naming = everyRoute().filter(({ names }) => names);
const listing = everyRoute().filter(({ names, contract }) => !names && contract.method === 'GET');

describe('another company', () => {
  test.each(naming)(
    'cannot distinguish our resources from unknown ones: $contract.operationId',
    async ({ contract, ask }) => {
      const otherCompanyResponse = readErrorResponse(contract, await second.answer(contract, ask(ownIds)));
      const unknown = readErrorResponse(contract, await second.answer(contract, ask(unknownIds())));
      refused(otherCompanyResponse, 404);
      expect(otherCompanyResponse.received.text).toBe(unknown.received.text);
      const visible = ({ received }: typeof otherCompanyResponse) => Object.keys(received.headers).toSorted();
      expect(visible(otherCompanyResponse)).toEqual(visible(unknown));
    },
  );

  test('leaves our subscription and pay-in unchanged when it calls every operation with our ids', async () => {
    const read = async () => [
      (await first.call(GetSubscription, { params: { id: ownIds.subscriptionId } })).received.text,
      (await first.call(GetPayIn, { params: { id: ownIds.payInId } })).received.text,
    ];
    const before = await read();
    for (const { contract, ask } of naming) await second.answer(contract, ask(ownIds));
    expect(await read()).toEqual(before);
  });

  test.each(listing)(
    'sees no id and no secret of ours in its lists: $contract.operationId',
    async ({ contract, ask }) => {
      const { status, text } = await second.answer(contract, { ...ask(ownIds), query: {} });
      expect(status).toBe(200);
      for (const secret of [...Object.values(ownIds), first.companyId, first.clientId, first.webhookSecret])
        expect(text).not.toContain(secret);
    },
  );
});

import { describe, expect, test } from 'vitest';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { GetDelivery } from '#functions/webhooks/get-delivery/contract.ts';
import { ListEndpoints } from '#functions/webhooks/list-endpoints/contract.ts';
import { ReleaseEndpoint } from '#functions/webhooks/release-endpoint/contract.ts';
import { needs } from '#test/support/environment.ts';
import { slow } from '#test/support/misbehaving.ts';
import { refused } from '#test/support/refusals.ts';
import { isAbout } from './notifications.ts';
import { activeAccount, eventually, first, useReceiver } from './partners.ts';
import { journey2 } from './samples.ts';

const inbox = useReceiver();

describe('the list of endpoints', () => {
  test('refuses a cursor of another listing', async () => {
    refused(await first.refused(ListEndpoints, { query: { cursor: 'x' } }), 400, ['cursor:INVALID_VALUE']);
  });

  test('shows an address that is slow as busy, and all that waits for it arrives', async (context) => {
    needs(context, 'latency', 'the result depends on the time of a call');
    const events = inbox('slow');
    events.reply(slow(1500));
    const creations = Array.from({ length: 24 }, async () => {
      const { body } = await first.call(CreateSubscription, {
        body: journey2(activeAccount(first).id, { webhookUrl: events.url }),
      });
      return body.id;
    });
    const ids = await Promise.all(creations);
    const startedAt = Date.now();
    const reject = (id: string) => first.call(ForceSubscriptionStatus, { body: { id, status: 'REJECTED' } });
    // One is slow already when the others come.
    await reject(ids[0]!);
    const [call] = await events.until(isAbout(ids[0]!));
    await eventually(
      () => first.call(GetDelivery, { params: { id: call!.id } }),
      ({ body }) => body.status === 'DELIVERED',
    );
    const aloneMs = Date.now() - startedAt;
    await Promise.all(ids.slice(1).map(reject));
    await Promise.all(ids.map((id) => events.until(isAbout(id))));
    // One after the other they would take 36 seconds, or 24 times as long as one on a busy machine.
    expect(Date.now() - startedAt).toBeLessThan(Math.max(20_000, 12 * aloneMs));
    const { data } = (await first.call(ListEndpoints)).body;
    expect(data.filter(({ endpoint }) => endpoint === events.url)).toMatchObject([{ state: 'BUSY' }]);
    expect(data.every(({ state }) => state !== 'OPEN')).toBe(true);
    const released = await first.call(ReleaseEndpoint, { body: { endpoint: events.url } });
    expect(released.body).toMatchObject({ endpoint: events.url });
  });
});

describe('a release', () => {
  test('refuses what is no address, and one that the company never had', async () => {
    refused(await first.refused(ReleaseEndpoint, { body: { endpoint: 7 } }), 400, ['endpoint:INVALID_TYPE']);
    const unknown = 'https://never.example.com/hook';
    refused(await first.refused(ReleaseEndpoint, { body: { endpoint: unknown } }), 404);
  });
});

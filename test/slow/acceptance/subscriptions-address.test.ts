import { describe, expect, test } from 'vitest';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { GetSubscription } from '#functions/subscriptions/get/contract.ts';
import { UpdateSubscription } from '#functions/subscriptions/update/contract.ts';
import { ListDeliveries } from '#functions/webhooks/list-deliveries/contract.ts';
import type { Inbox, Reply } from '@banking-order/partner-tools';
import { needs } from '#test/support/environment.ts';
import { refused } from '#test/support/refusals.ts';
import { isAbout, SubscriptionNotification, verified } from '#test/acceptance/notifications.ts';
import { activeAccount, eventually, first, second, useReceiver } from '#test/acceptance/partners.ts';
import { journey2 } from '#test/acceptance/samples.ts';

const inbox = useReceiver();
const fails: Reply = { kind: 'status', status: 500 };

async function subscription(events: Inbox): Promise<string> {
  const { body } = await first.call(CreateSubscription, {
    body: journey2(activeAccount(first).id, { webhookUrl: events.url }),
  });
  return body.id;
}
const force = (id: string, status: 'ACCEPTED' | 'REJECTED') =>
  first.call(ForceSubscriptionStatus, { body: { id, status } });
const move = (id: string, events: Inbox) =>
  first.call(UpdateSubscription, { params: { id }, body: { webhookUrl: events.url } });
const deliveriesOf = async (resourceId: string) =>
  (await first.call(ListDeliveries, { query: { resourceId } })).body.data;

describe('a subscription that is given another address', () => {
  test('is returned as a read returns it, and sends its later notifications to the new address', async () => {
    const [former, current] = [inbox('former'), inbox('present')];
    const id = await subscription(former);
    const { body } = await move(id, current);
    expect(body).toEqual((await first.call(GetSubscription, { params: { id } })).body);
    expect(body.webhookUrl).toBe(current.url);
    await force(id, 'ACCEPTED');
    const [event] = await current.until(isAbout(id, 'SUBSCRIPTION.ACCEPTED'));
    expect(verified(event!, SubscriptionNotification, first.webhookSecret).data.webhookUrl).toBe(current.url);
    expect(former.received.filter(isAbout(id))).toEqual([]);
  });

  test('has what failed at the former address delivered there, under the same webhook-id', async () => {
    const [former, current] = [inbox('former'), inbox('present')];
    former.reply(fails);
    const id = await subscription(former);
    await force(id, 'REJECTED');
    const [failed] = await former.until(isAbout(id));
    await move(id, current);
    const [taken] = await current.until(isAbout(id));
    expect(taken!.id).toBe(failed!.id);
    const [delivery] = await eventually(
      () => deliveriesOf(id),
      ([one]) => one?.status === 'DELIVERED',
    );
    expect(delivery).toMatchObject({ endpoint: current.url });
  });

  test('has what waits for the former address delivered there, and what others have waiting stays', async (context) => {
    needs(context, 'latency', 'the result depends on the time until calls fail');
    const [former, current] = [inbox('former'), inbox('present')];
    former.reply(fails);
    const failing = await Promise.all(Array.from({ length: 26 }, () => subscription(former)));
    await Promise.all(failing.map((id) => force(id, 'REJECTED')));
    // Two failed calls of each open the circuit.
    await eventually(
      async () => {
        const id = await subscription(former);
        await force(id, 'REJECTED');
        return { id, deliveries: await deliveriesOf(id) };
      },
      ({ deliveries: [delivery] }) => delivery?.pausedReason === 'ENDPOINT_FAILING',
    );
    const [stays, moves] = [await subscription(former), await subscription(former)];
    for (const id of [stays, moves]) await force(id, 'REJECTED');
    const waiting = ([one]: Awaited<ReturnType<typeof deliveriesOf>>): boolean =>
      one?.pausedReason === 'ENDPOINT_FAILING';
    for (const id of [stays, moves]) await eventually(() => deliveriesOf(id), waiting);
    await move(moves, current);
    await current.until(isAbout(moves));
    expect(current.received.filter((one) => !isAbout(moves)(one))).toEqual([]);
    expect(former.received.filter(isAbout(moves))).toEqual([]);
    former.reply({ kind: 'ok' });
  });

  test('is refused where the company has no such subscription, and where the address may not be called', async () => {
    const events = inbox('other');
    const id = await subscription(events);
    const params = { id };
    refused(await second.refused(UpdateSubscription, { params, body: { webhookUrl: events.url } }), 404);
    refused(
      await first.refused(UpdateSubscription, { params, body: { webhookUrl: 'ftp://partner.example.com/' } }),
      400,
      ['webhookUrl:INVALID_VALUE'],
    );
  });
});

import { expect, test } from 'vitest';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { GetResend } from '#functions/webhooks/get-resend/contract.ts';
import { ListDeliveries } from '#functions/webhooks/list-deliveries/contract.ts';
import { ReplaceWebhookSettings } from '#functions/webhooks/replace/contract.ts';
import { ResendDeliveries } from '#functions/webhooks/resend-deliveries/contract.ts';
import { needs } from '#test/support/environment.ts';
import { refused } from '#test/support/refusals.ts';
import { signatureErrors } from '@banking-order/partner-tools';
import { expiredPayIn, expiryDeliveries } from '#test/acceptance/expiring.ts';
import { isAbout } from '#test/acceptance/notifications.ts';
import { activeAccount, eventually, first, second, useReceiver } from '#test/acceptance/partners.ts';
import { payIn } from '#test/acceptance/samples.ts';

const inbox = useReceiver();
/** The sweep runs every minute. */
const withinMs = 90_000;

async function paid(): Promise<string> {
  const { body } = await first.call(CreatePayIn, { body: payIn(activeAccount(first).id) });
  await first.call(ForceOrderStatus, { body: { id: body.id, status: 'PAID' } });
  return body.id;
}
const deliveriesOf = async (resourceId: string) =>
  (await first.call(ListDeliveries, { query: { resourceId } })).body.data;
const sendPayInsTo = async (endpoint: string) =>
  first.call(ReplaceWebhookSettings, { body: { events: [{ type: 'PAYIN', endpoint }] } });

test('a resend since a time sends each delivery that failed while its endpoint was down, once', async (context) => {
  needs(context, 'retry-timing', 'five attempts must have failed');
  // The pay-in that expires by itself has its notification before the endpoint is down.
  await expiredPayIn();
  await expiryDeliveries();
  const events = inbox();
  await sendPayInsTo(events.url);
  events.reply({ kind: 'status', status: 500 });
  const orders = [await paid(), await paid()];
  const failed = await Promise.all(
    orders.map(
      async (id) =>
        (
          await eventually(
            () => deliveriesOf(id),
            ([one]) => one?.status === 'FAILED',
            withinMs,
          )
        )[0]!,
    ),
  );
  expect(failed).toMatchObject(orders.map(() => ({ status: 'FAILED', attemptsCount: 5 })));

  events.reply({ kind: 'ok' });
  const [createdFrom] = failed.map(({ createdAt }) => createdAt).toSorted();
  const ask = { body: { createdFrom: createdFrom! }, key: crypto.randomUUID() };
  const { body: begun, received } = await first.call(ResendDeliveries, ask);
  expect(begun).toMatchObject({ status: 'RUNNING', createdFrom, completedAt: null });
  expect((await first.call(ResendDeliveries, ask)).received.text).toBe(received.text);
  refused(await second.refused(GetResend, { params: { id: begun.id } }), 404);

  const read = async () => (await first.call(GetResend, { params: { id: begun.id } })).body;
  const finished = await eventually(read, ({ status }) => status === 'COMPLETED', withinMs);
  expect(finished).toMatchObject({ status: 'COMPLETED', sentCount: 2 });
  for (const [place, id] of orders.entries()) {
    const [notification] = await events.until((one) => isAbout(id)(one) && one.reply.kind === 'ok');
    expect(notification!.id).toBe(failed[place]!.id);
    expect(signatureErrors(notification!, first.webhookSecret)).toEqual([]);
    const all = await eventually(
      () => deliveriesOf(id),
      ([newest]) => newest?.status === 'DELIVERED',
    );
    expect(all.map(({ status }) => status)).toEqual(['DELIVERED', 'FAILED']);
    const open = await first.call(ListDeliveries, { query: { open: 'true', resourceId: id } });
    expect(open.body.data).toEqual([]);
  }
});

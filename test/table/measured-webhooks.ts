import { deliver } from '#shared/webhooks/dispatch/deliver.ts';
import type { CallDeps } from '#shared/webhooks/dispatch/call.ts';
import { shareOf } from '#shared/webhooks/dispatch/share.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { resendDeliveries } from '#shared/webhooks/deliveries/resend.ts';
import { subscriptionInsert } from '#shared/subscriptions/store.ts';
import { aSubscription } from '../support/builders.ts';
import { circuit } from '../support/circuit.ts';
import { company, noon, webhookWorld } from '../webhooks/webhook-world.ts';
import type { Measured } from './measured-operations.ts';

const events = [{ type: 'PAYIN', endpoint: 'https://93.184.216.34/hooks' }];

/** The webhook endpoints and one attempt of a delivery, with what they need already in place; in this order. */
export async function measuredWebhooks(store: Store): Promise<readonly Measured[]> {
  const world = await webhookWorld(() => store, 'measured webhooks');
  const minutesAgo = (minutes: number) => plusSeconds(noon, -60 * minutes);
  let resendId = '';
  for (let place = 0; place < 20; place += 1) {
    const createdAt = minutesAgo(5);
    await world.given({ status: 'FAILED', createdAt }, JSON.stringify({ text: 'x'.repeat(900) }));
    // Held for long: in no backlog, so that new settings release none.
    await world.given({ status: 'HELD', createdAt });
  }
  // Nothing else is created at this time: the company has no burst.
  const quiet = { createdAt: plusSeconds(noon, 60) };
  const { id } = await world.given(quiet, JSON.stringify({ id: 'o-1', text: 'x'.repeat(900) }));
  const { id: nextId } = await world.given(quiet, JSON.stringify({ id: 'o-2', text: 'x'.repeat(900) }));
  const { id: lateId } = await world.given({ createdAt: minutesAgo(1) }, JSON.stringify({ text: 'x'.repeat(900) }));
  const failing: string[] = [];
  for (const name of ['o-3', 'o-4'])
    failing.push((await world.given(quiet, JSON.stringify({ id: name, text: 'x'.repeat(900) }))).id);
  const subscription = aSubscription();
  await world.memory.write([subscriptionInsert(company, subscription)], 'subscription');
  const target = { endpoint: subscription.webhookUrl, subscription: subscription.id };
  const { id: ofSubscriptionId } = await world.given({ ...quiet, target }, JSON.stringify({ text: 'x'.repeat(900) }));
  const { id: waitingId } = await world.given({ backlog: 'company' });
  // That world seeds its own memory; the engine gets the same items.
  for (const put of world.memory.all()) await store.write([{ put }], crypto.randomUUID());
  const ok = async (response: Promise<{ status: number; body: unknown }>): Promise<void> => {
    const { status, body } = await response;
    if (status > 202) throw new Error(`${status} ${JSON.stringify(body)}`);
  };
  const me = { companyId: company };
  const deps: CallDeps = {
    store,
    now: () => quiet.createdAt,
    newId: () => crypto.randomUUID(),
    random: () => 0,
    sleep: () => Promise.resolve(),
    send: () => Promise.resolve({ outcome: 'DELIVERED', httpStatus: 200, durationMs: 5 }),
    delays: [1, 1, 1, 1],
    report: () => undefined,
    ...circuit,
  };
  const answeredBy500 = Promise.resolve({
    outcome: 'FAILED',
    error: 'STATUS',
    httpStatus: 500,
    durationMs: 5,
  } as const);
  const message = { ...me, deliveryId: id, dispatch: 1, requestId: id, id: 'message', receives: 1 };
  const attempt = async (deliveryId: string, more: Partial<CallDeps> = {}): Promise<void> => {
    const share = shareOf({ ...deps, companyShare: 30 }, company, 1);
    await deliver({ ...message, deliveryId }, { ...deps, ...more, share });
    await share.giveBack();
  };
  return [
    { name: 'Get webhook settings', kind: 'read', run: () => ok(world.get(me)) },
    {
      name: 'Replace webhook settings',
      kind: 'other',
      run: () => ok(world.replace({ ...me, body: { events: events } })),
    },
    { name: 'Rotate secret', kind: 'change', run: () => ok(world.rotate({ ...me, body: {} })) },
    { name: 'One attempt of a delivery', kind: 'other', run: () => attempt(id) },
    { name: 'The next one to the same address', kind: 'other', run: () => attempt(nextId) },
    { name: 'One attempt of a subscription’s delivery', kind: 'other', run: () => attempt(ofSubscriptionId) },
    // It comes late, as after an outage.
    { name: 'One attempt in a burst', kind: 'other', run: () => attempt(lateId) },
    // The first begins the count of its address, the second adds to it.
    ...['The next one, which fails', 'The next one, which fails too'].map((name, place) => ({
      ...{ name, kind: 'other' as const },
      run: () => attempt(failing[place] ?? '', { send: () => answeredBy500 }),
    })),
    { name: 'Get delivery', kind: 'read', run: () => ok(world.getDelivery({ ...me, params: { id } })) },
    {
      name: 'Get a delivery that waits',
      kind: 'other',
      run: () => ok(world.getDelivery({ ...me, params: { id: waitingId } })),
    },
    { name: 'List deliveries, a page that is the last', kind: 'other', run: () => ok(world.list(me)) },
    {
      name: 'Resend delivery',
      kind: 'counted change',
      run: () => ok(world.resend({ ...me, params: { id }, body: {} })),
    },
    {
      name: 'Begin a resend',
      kind: 'other',
      run: async () => {
        const response = await world.resendAll({ ...me, body: { createdFrom: minutesAgo(10) }, key: 'resend' });
        resendId = (response.body as { id: string }).id;
      },
    },
    {
      name: 'Work a resend off: 20 that failed and 20 that are held',
      kind: 'other',
      run: () => resendDeliveries({ ...deps, mayGoOn: () => true }, company, resendId),
    },
    { name: 'Get resend', kind: 'read', run: () => ok(world.getResend({ ...me, params: { id: resendId } })) },
    {
      name: 'Send test notification',
      kind: 'counted change',
      run: () => ok(world.test({ ...me, body: { type: 'PAYIN' } })),
    },
  ];
}

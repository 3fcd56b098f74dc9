import { deliver } from '../../functions/workers/deliver-notification/deliver.ts';
import type { DeliverDeps } from '../../functions/workers/deliver-notification/deliver-deps.ts';
import type { Store } from '../../shared/persistence/store.ts';
import { COMPANY, NOON, webhookWorld } from '../operations/webhooks/webhook-world.ts';
import type { Measured } from './measured-operations.ts';

const EVENTS = [{ type: 'PAYIN', endpoint: 'https://93.184.216.34/hooks' }];

/** The webhook endpoints and one attempt of a delivery, with what they need already in place; in this order. */
export async function measuredWebhooks(store: Store): Promise<readonly Measured[]> {
  const world = await webhookWorld(() => store);
  const { id } = await world.given({}, JSON.stringify({ id: 'o-1', text: 'x'.repeat(900) }));
  // That world seeds its own memory; the engine gets the same items.
  for (const put of world.memory.all()) await store.write([{ put }], crypto.randomUUID());
  const ok = async (answer: Promise<{ status: number; body: unknown }>): Promise<void> => {
    const { status, body } = await answer;
    if (status > 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  };
  const me = { companyId: COMPANY };
  const deps: DeliverDeps = {
    store,
    now: () => NOON,
    newId: () => crypto.randomUUID(),
    random: () => 0,
    sleep: () => Promise.resolve(),
    send: () => Promise.resolve({ outcome: 'DELIVERED', httpStatus: 200, durationMs: 5 }),
    delays: [1, 1, 1, 1],
    report: () => undefined,
  };
  const message = { ...me, deliveryId: id, sending: 1, requestId: id, id: 'message', receives: 1 };
  return [
    { name: 'Get webhook settings', kind: 'read', run: () => ok(world.get(me)) },
    {
      name: 'Replace webhook settings',
      kind: 'other',
      run: () => ok(world.replace({ ...me, body: { events: EVENTS } })),
    },
    { name: 'Rotate secret', kind: 'change', run: () => ok(world.rotate({ ...me, body: {} })) },
    { name: 'One attempt of a delivery', kind: 'other', run: () => deliver(message, deps) },
    { name: 'Get delivery', kind: 'read', run: () => ok(world.getDelivery({ ...me, params: { id } })) },
    { name: 'List deliveries, a page that is the last', kind: 'other', run: () => ok(world.list(me)) },
    { name: 'Resend delivery', kind: 'change', run: () => ok(world.resend({ ...me, params: { id }, body: {} })) },
    { name: 'Send test notification', kind: 'change', run: () => ok(world.test({ ...me, body: { type: 'PAYIN' } })) },
  ];
}

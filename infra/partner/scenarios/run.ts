import { GetClock } from '#functions/order-tools/get-clock/contract.ts';
import { ResetClock } from '#functions/order-tools/reset-clock/contract.ts';
import { GetWebhookSettings } from '#functions/webhooks/get/contract.ts';
import { ReplaceWebhookSettings } from '#functions/webhooks/replace/contract.ts';
import { brasiliaDate } from '#shared/core/brasilia-time.ts';
import { webhookTypes } from '#shared/platform/outbox/notification.ts';
import type { Partner } from '../api/client.ts';
import type { Story, World } from './context.ts';
import { readBalance } from './context.ts';
import type { Hearing } from './notification-receiver.ts';

/** Who plays a story, where it is heard, and where it is told. */
export type Stage = Pick<World, 'partner' | 'accountId' | 'hearing' | 'tell' | 'keepSecret'>;

/**
 * Plays a story. The endpoints that were registered before are registered again in the end, and a clock that told real
 * time tells it again; what was made stays.
 * @throws ToolFailure when something is not as the specification says, or when more was told than the story expects.
 */
export async function play(story: Story, stage: Stage): Promise<void> {
  const { partner, tell } = stage;
  const { now, offsetSeconds } = (await partner.call(GetClock)).body;
  const balanceBefore = await readBalance(partner, stage.accountId);
  const registered = (await partner.call(GetWebhookSettings)).body.events;
  tell.step('Register a webhook receiver');
  await register(partner, stage.hearing);
  tell.fact('receiver', stage.hearing.url);
  const world: World = { ...stage, today: brasiliaDate(now), balanceBefore, things: new Map() };
  try {
    for (const { title, acts } of story.steps) {
      tell.step(title);
      for (const act of acts) await act(world);
    }
    tell.step('Look back');
    const surplus = await stage.hearing.surplus([...world.things.values()].map(({ id }) => id));
    tell.check('each notification was told once, and none beside them', surplus.length === 0, surplus);
  } finally {
    const before = registered.map(({ type, endpoint, status }) => ({ type, endpoint, status }));
    await partner.call(ReplaceWebhookSettings, { body: { events: before } });
    if (offsetSeconds === 0) await partner.call(ResetClock);
  }
}

async function register(partner: Partner, { url }: Hearing): Promise<void> {
  const events = webhookTypes.map((type) => ({ type, endpoint: url }));
  await partner.call(ReplaceWebhookSettings, { body: { events } });
}

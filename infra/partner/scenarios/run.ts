import { GetClock } from '#functions/order-tools/get-clock/contract.ts';
import { ResetClock } from '#functions/order-tools/reset-clock/contract.ts';
import { GetWebhookSettings } from '#functions/webhooks/get/contract.ts';
import { ReplaceWebhookSettings } from '#functions/webhooks/replace/contract.ts';
import { brasiliaDate } from '#shared/core/brasilia-time.ts';
import { webhookTypes } from '#shared/platform/outbox/delivery.ts';
import type { Scenario, Context } from './context.ts';
import { readBalance } from './context.ts';

/**
 * Runs a scenario, then restores the endpoints, and the clock if it showed real time. Created resources stay.
 * @throws ToolFailure for a breach of the specification or an unexpected notification.
 */
export async function runScenario(
  { sections }: Scenario,
  given: Pick<Context, 'partner' | 'accountId' | 'receiver' | 'reporter' | 'keepSecret'>,
): Promise<void> {
  const { partner, accountId, receiver, reporter } = given;
  const { now, offsetSeconds } = (await partner.call(GetClock)).body;
  const balanceBefore = await readBalance(partner, accountId);
  const registered = (await partner.call(GetWebhookSettings)).body.events;
  reporter.section('Register a webhook receiver');
  const events = webhookTypes.map((type) => ({ type, endpoint: receiver.url }));
  await partner.call(ReplaceWebhookSettings, { body: { events } });
  reporter.fact('receiver', receiver.url);
  const context: Context = { ...given, today: brasiliaDate(now), balanceBefore, resources: new Map() };
  try {
    for (const { title, steps } of sections) {
      reporter.section(title);
      for (const step of steps) await step(context);
    }
    reporter.section('Look back');
    const unexpected = await receiver.unexpected([...context.resources.values()].map(({ id }) => id));
    reporter.check('each notification was told once, and none beside them', unexpected.length === 0, unexpected);
  } finally {
    const before = registered.map(({ type, endpoint, status }) => ({ type, endpoint, status }));
    await partner.call(ReplaceWebhookSettings, { body: { events: before } });
    if (offsetSeconds === 0) await partner.call(ResetClock);
  }
}

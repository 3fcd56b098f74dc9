import { beforeAll, expect, test } from 'vitest';
import { RotateWebhookSecret } from '#functions/webhooks/rotate-secret/contract.ts';
import { hearAtReceiver, hearByLog } from '#infra/partner/scenarios/hearing.ts';
import { play } from '#infra/partner/scenarios/play.ts';
import { stories } from '#infra/partner/scenarios/stories.ts';
import { tellTo } from '#infra/partner/terminal/telling.ts';
import { activeAccount, second, useReceiver } from './partners.ts';

const inbox = useReceiver();
const { id: accountId } = activeAccount(second);
let secret = '';
beforeAll(async () => {
  ({ secret } = (await second.call(RotateWebhookSecret, { body: { overlapSeconds: 0 } })).body);
});

/** Plays a story; gives its lines. */
async function played(name: string, byLog = false): Promise<string> {
  const lines: string[] = [];
  const story = stories.find((one) => one.name === name)!;
  const own = inbox(name);
  const keepSecret = (present: string): void => {
    secret = present;
  };
  const hearing = byLog ? hearByLog(second, own.url) : hearAtReceiver(own, secret);
  const tell = tellTo((line) => lines.push(line));
  await play(story, { partner: second, accountId, hearing, tell, keepSecret });
  return lines.join('\n');
}

// journey-3-with-refund is the demo, which demo.test.ts runs as a command.
test.each(stories.map(({ name }) => name).filter((name) => name !== 'journey-3-with-refund'))(
  '%s is as the specification says',
  async (name) => {
    expect(await played(name)).toContain('✔ each notification was told once, and none beside them');
  },
  120_000,
);

test('a story is heard by the delivery log where the receiver is the partner’s own', async () => {
  const lines = await played('payout-lost-reply', true);
  expect(lines).toContain('✔ ORDER-PAYOUT.PAID was told, signed and in its layout');
  expect(lines).toContain('✔ each notification was told once, and none beside them');
});

import { expect, describe, test } from 'vitest';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { GetWebhookSettings } from '#functions/webhooks/get/contract.ts';
import { ReplaceWebhookSettings } from '#functions/webhooks/replace/contract.ts';
import { activeAccount, first, second } from './partners.ts';
import { journey2 } from './samples.ts';
import { refused } from '../support/refusals.ts';

const events = async () => (await first.call(GetWebhookSettings)).body.events;
const payin = { type: 'PAYIN', endpoint: 'https://first-partner.example.com/pay-ins' } as const;
const payout = { type: 'PAYOUT', endpoint: 'https://partner.example.com/payouts', status: 'INACTIVE' } as const;

describe('the webhook settings', () => {
  test('are replaced as a whole and read back, active unless said otherwise', async () => {
    const { body } = await first.call(ReplaceWebhookSettings, { body: { events: [payin, payout] } });
    expect(body.events).toMatchObject([{ ...payin, status: 'ACTIVE' }, payout]);
    expect((await first.call(GetWebhookSettings)).body).toEqual(body);
    await first.call(ReplaceWebhookSettings, { body: { events: [payout] } });
    expect((await events()).map(({ type }) => type)).toEqual(['PAYOUT']);
    await first.call(ReplaceWebhookSettings, { body: { events: [] } });
    expect(await events()).toEqual([]);
  });

  test('keep the createdAt of a type that stays, and change its updatedAt with its endpoint', async () => {
    const once = await first.call(ReplaceWebhookSettings, { body: { events: [payin] } });
    const same = await first.call(ReplaceWebhookSettings, { body: { events: [payin] } });
    expect(same.body.events).toEqual(once.body.events);
    const moved = await first.call(ReplaceWebhookSettings, {
      body: { events: [{ ...payin, endpoint: `${payin.endpoint}/2` }] },
    });
    expect(moved.body.events[0]?.createdAt).toBe(once.body.events[0]?.createdAt);
    expect(Date.parse(moved.body.events[0]!.updatedAt)).toBeGreaterThan(Date.parse(once.body.events[0]!.updatedAt));
  });

  test('never show the secret', async () => {
    const { received } = await first.call(GetWebhookSettings);
    expect(received.text).not.toContain('whsec_');
    expect(received.text).not.toContain(first.webhookSecret);
  });

  test('belong to their company', async () => {
    await first.call(ReplaceWebhookSettings, { body: { events: [payin] } });
    const theirs = await second.call(GetWebhookSettings);
    expect(theirs.body.id).not.toBe((await first.call(GetWebhookSettings)).body.id);
    expect(theirs.received.text).not.toContain(payin.endpoint);
  });

  test.each([
    ['no events', {}, 'events', 'REQUIRED'],
    ['an unknown event type', { events: [{ ...payin, type: 'PAYDAY' }] }, 'events.0.type', 'INVALID_VALUE'],
    ['an unknown status', { events: [{ ...payin, status: 'ON' }] }, 'events.0.status', 'INVALID_VALUE'],
    ['no endpoint URL', { events: [{ type: 'PAYIN' }] }, 'events.0.endpoint', 'REQUIRED'],
    ['an unknown field', { events: [{ ...payin, secret: 'x' }] }, 'events.0.secret', 'UNKNOWN_FIELD'],
  ])('are not replaced with %s', async (_what, body, field, issue) => {
    const before = await events();
    refused(await first.refused(ReplaceWebhookSettings, { body }), 400, [`${field}:${issue}`]);
    expect(await events()).toEqual(before);
  });

  test('are not replaced with one type twice', async () => {
    refused(await first.refused(ReplaceWebhookSettings, { body: { events: [payin, payin] } }), 400);
  });
});

describe.each([
  'partner',
  '/relative',
  'ftp://partner.example.com/x',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'https://',
  'https://user:password@partner.example.com/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/',
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://100.64.0.1/',
  'http://0.0.0.0/',
  'http://167772161/',
  'http://0x0a000001/',
  'http://012.0.0.1/',
  'http://[::ffff:10.0.0.1]/',
  'http://[64:ff9b::a00:1]/',
  'http://[fe80::1]/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  `https://partner.example.com/${'x'.repeat(2048)}`,
])('the forbidden address %s', (url) => {
  const issue = url.length > 2048 ? 'TOO_LONG' : 'INVALID_VALUE';
  test('is refused as an endpoint of the webhook settings', async () => {
    refused(
      await first.refused(ReplaceWebhookSettings, {
        body: { events: [{ type: 'PAYIN', endpoint: url }] },
      }),
      400,
      [`events.0.endpoint:${issue}`],
    );
  });

  test('is refused as the webhookUrl of a subscription', async () => {
    const body = journey2(activeAccount(first).id, { webhookUrl: url });
    refused(await first.refused(CreateSubscription, { body }), 400, [`webhookUrl:${issue}`]);
  });
});

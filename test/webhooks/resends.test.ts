import { beforeEach, describe, expect, it } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { resendDeliveries } from '#shared/webhooks/deliveries/resend.ts';
import type { World } from './webhook-world.ts';
import { company as companyId, noon, otherCompany, webhookWorld } from './webhook-world.ts';
import { testClient } from '../support/api.ts';
import { refused } from '../support/refusals.ts';

const body = { createdFrom: plusSeconds(noon, -3600) };
const key = 'resend-1';

let world: World;
beforeEach(async () => {
  world = await webhookWorld();
});

const begin = async (more: { body?: unknown; key?: string } = {}) => {
  const response = await world.resendAll({ companyId, body, key, ...more });
  return { ...response, id: (response.body as { id: string }).id };
};
const sweep = (id: string) =>
  resendDeliveries(
    { store: world.memory, now: () => world.clock.now, newId: () => crypto.randomUUID(), mayGoOn: () => true },
    companyId,
    id,
  );

describe('a resend', () => {
  it('is accepted, worked off by the sweep, and read meanwhile', async () => {
    await world.given({ status: 'FAILED', createdAt: plusSeconds(noon, -60) });
    const { status, body: responseBody, id } = await begin();
    const begun = { id, status: 'RUNNING', sentCount: 0, heldCount: 0, completedAt: null, createdAt: noon, ...body };
    expect({ status, said: responseBody }).toEqual({ status: 202, said: begun });
    const read = async () => (await world.getResend({ companyId, params: { id } })).body;
    expect(await read()).toEqual({ ...begun, createdBy: testClient });
    world.clock.now = plusSeconds(noon, 60);
    expect(await sweep(id)).toBe(1);
    expect(await read()).toEqual({
      ...begun,
      ...{ createdBy: testClient, status: 'COMPLETED', sentCount: 1, completedAt: world.clock.now },
    });
  });

  it.each(['FAILED', 'HELD'] as const)('sends no %s delivery whose notification was taken since', async (status) => {
    await world.replace({ companyId, body: { events: [{ type: 'PAYIN', endpoint: 'https://93.184.216.34/hooks' }] } });
    const given = { status, createdAt: plusSeconds(noon, -60), ...(status === 'HELD' && { heldAt: noon }) };
    const [open] = [await world.given(given), await world.given({ ...given, closedAt: noon })];
    const { id } = await begin();
    world.clock.now = plusSeconds(noon, 60);
    expect(await sweep(id)).toBe(1);
    const sent = world.items('DELIVERY').filter((item) => item['dispatch'] === 2 || item['resendOf'] !== undefined);
    expect(sent.map((item) => item['resendOf'] ?? item['id'])).toEqual([open.id]);
    expect((await world.getResend({ companyId, params: { id } })).body).toMatchObject({ sentCount: 1, heldCount: 0 });
  });

  it('is made once with a key: the same answer again, byte for byte, whatever has happened since', async () => {
    await world.given({ status: 'FAILED', createdAt: plusSeconds(noon, -60) });
    const first = await begin();
    world.clock.now = plusSeconds(noon, 60);
    await sweep(first.id);
    const again = await begin({ body: { createdFrom: '2026-01-15T11:00:00-03:00' } });
    expect(again).toMatchObject({ status: 202, text: first.text, headers: { 'idempotent-replayed': 'true' } });
    expect(world.items('DELIVERY_RESEND')).toHaveLength(1);
    refused(await begin({ body: { createdFrom: noon } }), 422, ['idempotency-key:IDEMPOTENCY_KEY_REUSED']);
  });

  it.each([
    ['no createdFrom', {}, 'createdFrom', 'REQUIRED'],
    ['a date without a time', { createdFrom: '2026-01-15' }, 'createdFrom', 'INVALID_FORMAT'],
    ['a time that is not in the past', { createdFrom: noon }, 'createdFrom', 'OUT_OF_RANGE'],
    ['an unknown field', { ...body, status: 'FAILED' }, 'status', 'UNKNOWN_FIELD'],
  ])('is refused with %s', async (_what, wrong, field, issue) => {
    refused(await begin({ body: wrong }), 400, [`${field}:${issue}`]);
    expect(world.items('DELIVERY_RESEND')).toEqual([]);
  });

  it('needs a key', async () => {
    refused(await world.resendAll({ companyId, body }), 400, ['idempotency-key:REQUIRED']);
  });

  it('is refused beyond 30 a minute, but for replays', async () => {
    for (let place = 0; place < 30; place += 1) expect((await begin({ key: `k-${place}` })).status).toBe(202);
    refused(await begin({ key: 'k-30' }), 429);
    expect(await begin({ key: 'k-0' })).toMatchObject({ status: 202, headers: { 'idempotent-replayed': 'true' } });
    expect(world.items('DELIVERY_RESEND')).toHaveLength(30);
  });

  it('is not found when it belongs to another company', async () => {
    const { id } = await begin();
    refused(await world.getResend({ companyId: otherCompany, params: { id } }), 404);
  });
});

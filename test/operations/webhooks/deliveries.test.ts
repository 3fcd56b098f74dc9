import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { PayInNotification, PayoutNotification, RefundNotification } from '../../../shared/contracts/notification.ts';
import { plusSeconds } from '../../../shared/domain/brasilia-time.ts';
import type { Delivery } from '../../../shared/domain/delivery.ts';
import type { World } from './webhook-world.ts';
import { COMPANY as companyId, NOON, OTHER_COMPANY, webhookWorld } from './webhook-world.ts';

type Page = { nextCursor: string | null; hasNext: boolean; data: { id: string; status: string }[] };

const endpoint = 'https://93.184.216.34/hooks';
const unknownId = '99999999-9999-4999-8999-999999999999';

let world: World;
beforeEach(async () => {
  // DynamoDB ends a page after 1 MB, wherever that is.
  world = await webhookWorld((store) => ({
    ...store,
    query: (query) => store.query({ ...query, limit: Math.min(query.limit ?? 4, 4) }),
  }));
});

const list = async (query: Record<string, string> = {}): Promise<Page> => {
  return (await world.list({ companyId, query })).body as Page;
};
async function walk(query: Record<string, string>): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | null | undefined; cursor !== null && pages.length < 100;) {
    const page = await list({ ...query, ...(cursor !== undefined && { cursor }) });
    pages.push(page.data.map(({ id }) => id));
    expect(page.hasNext).toBe(page.nextCursor !== null);
    cursor = page.nextCursor;
  }
  return pages;
}

describe('a delivery', () => {
  it('is listed with what is known of it, null for the rest', async () => {
    const { id } = await world.given();
    const entry = { id, event: 'ORDER-PAYIN.PAID', status: 'PENDING', endpoint: null, attemptsCount: 0 };
    const times = { createdAt: NOON, lastAttemptAt: null, nextAttemptAt: NOON };
    expect((await list()).data).toEqual([{ ...entry, ...times }]);
  });

  it('is shown with its payload and every attempt', async () => {
    const failed = {
      number: 1,
      claimId: 'c-1',
      at: NOON,
      outcome: 'FAILED' as const,
      error: 'TIMEOUT' as const,
      durationMs: 10_000,
    };
    const unknown = { number: 2, claimId: 'c-2', at: plusSeconds(NOON, 60), outcome: 'UNKNOWN' as const };
    const nextAttemptAt = plusSeconds(NOON, 120);
    const { id } = await world.given(
      { attempts: [failed, unknown], endpoint, nextAttemptAt },
      '{"id":"o-1","amount":"10.10"}',
    );
    const { claimId: _, ...shown } = failed;
    const nothing = { httpStatus: null, error: null, durationMs: null, returnCode: null };
    expect((await world.getDelivery({ companyId, params: { id } })).body).toEqual({
      id,
      event: 'ORDER-PAYIN.PAID',
      status: 'PENDING',
      endpoint,
      attemptsCount: 2,
      createdAt: NOON,
      lastAttemptAt: plusSeconds(NOON, 60),
      nextAttemptAt,
      payload: { id: 'o-1', amount: '10.10' },
      attempts: [
        { ...nothing, ...shown },
        { ...nothing, number: 2, at: plusSeconds(NOON, 60), outcome: 'UNKNOWN' },
      ],
    });
  });

  it('of another company is not found, not listed and not sent again', async () => {
    const { id } = await world.given();
    for (const call of [world.getDelivery, world.resend])
      for (const of of [
        { companyId: OTHER_COMPANY, params: { id } },
        { companyId, params: { id: unknownId } },
      ])
        expect(await call(of)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
    expect((await world.list({ companyId: OTHER_COMPANY })).body).toEqual({
      nextCursor: null,
      hasNext: false,
      data: [],
    });
  });
});

describe('the list of deliveries', () => {
  it('is walked newest first in exact pages, whatever the limit and the filters', async () => {
    const given: Delivery[] = [];
    for (let place = 0; place < 40; place += 1) {
      // Several of one moment: the id makes the order total.
      world.clock.now = plusSeconds(NOON, Math.floor(place / 3));
      const status = place % 4 === 0 ? 'FAILED' : 'DELIVERED';
      given.push(await world.given({ status, event: place % 2 === 0 ? 'E.ONE' : 'E.TWO' }));
    }
    const newestFirst = [...given].sort((x, y) => (x.createdAt + x.id < y.createdAt + y.id ? 1 : -1));
    const filters = fc.record(
      { status: fc.constantFrom('FAILED', 'DELIVERED', 'HELD'), event: fc.constantFrom('E.ONE', 'E.TWO') },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 45 }), filters, async (limit, query) => {
        const wanted = newestFirst.filter(
          ({ status, event }) => status === (query.status ?? status) && event === (query.event ?? event),
        );
        const pages = await walk({ ...query, limit: String(limit) });
        expect(pages.flat()).toEqual(wanted.map(({ id }) => id));
        expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
        expect(pages).toHaveLength(Math.max(1, Math.ceil(wanted.length / limit)));
      }),
      { numRuns: 60 },
    );
  });

  it('shows 20 unless asked otherwise', async () => {
    for (let place = 0; place < 21; place += 1) await world.given();
    expect(await list()).toMatchObject({ hasNext: true });
    expect((await list()).data).toHaveLength(20);
  });

  it('takes back only its own cursors, with the same filters, unchanged', async () => {
    for (let place = 0; place < 3; place += 1) {
      await world.given();
      await world.given({}, '{}', OTHER_COMPANY);
    }
    const cursor = (await list({ limit: '1' })).nextCursor!;
    const foreign = (await world.list({ companyId: OTHER_COMPANY, query: { limit: '1' } })).body as Page;
    expect((await list({ limit: '2', cursor })).data).toHaveLength(2);
    const bytes = Buffer.from(cursor, 'base64url');
    const flipped = Array.from(bytes.keys(), (place) =>
      Buffer.from(bytes.map((byte, at) => (at === place ? byte ^ 1 : byte))).toString('base64url'),
    );
    const refused = ['x', `${cursor}=`, `${cursor}A`, cursor.slice(0, -1), foreign.nextCursor!, ...flipped];
    for (const changed of refused)
      expect(await world.list({ companyId, query: { cursor: changed } }), changed).toMatchObject({
        status: 400,
        body: { error: 'INVALID_REQUEST', details: [{ field: 'cursor', issue: 'INVALID_VALUE' }] },
      });
    expect(await world.list({ companyId, query: { cursor, status: 'FAILED' } })).toMatchObject({ status: 400 });
    expect(await world.list({ companyId, query: { cursor, event: 'E' } })).toMatchObject({ status: 400 });
  });

  it.each([
    [{ limit: '0' }, 'limit', 'OUT_OF_RANGE'],
    [{ limit: '101' }, 'limit', 'OUT_OF_RANGE'],
    [{ limit: '1e1' }, 'limit', 'INVALID_TYPE'],
    [{ limit: '' }, 'limit', 'INVALID_TYPE'],
    [{ status: 'SENT' }, 'status', 'INVALID_VALUE'],
    [{ state: 'FAILED' }, 'state', 'UNKNOWN_FIELD'],
  ])('refuses %o', async (query, field, issue) => {
    expect(await world.list({ companyId, query })).toMatchObject({
      status: 400,
      body: { details: [{ field, issue }] },
    });
  });
});

describe('sending a delivery again', () => {
  it.each(['DELIVERED', 'FAILED', 'HELD', 'PENDING'] as const)(
    'makes a new one of the same bytes of one that is %s',
    async (status) => {
      const body = '{"id":"o-1",  "spaces": "as they were"}';
      const original = await world.given({ status, attempts: [] }, body);
      world.clock.now = plusSeconds(NOON, 60);
      const answer = await world.resend({ companyId, params: { id: original.id } });
      const expected = {
        event: original.event,
        status: 'PENDING',
        attemptsCount: 0,
        attempts: [],
        createdAt: world.clock.now,
      };
      expect(answer).toMatchObject({ status: 201, body: expected });
      const { id } = answer.body as { id: string };
      expect(id).not.toBe(original.id);
      expect(world.items('DELIVERY').find((item) => item['id'] === id)).toMatchObject({
        resendOf: original.id,
        target: { type: 'PAYIN' },
      });
      expect(world.items('DELIVERY_BODY').map((item) => item['body'])).toEqual([body, body]);
    },
  );
});

describe('a test notification', () => {
  it.each([
    ['PAYIN', PayInNotification],
    ['PAYIN_REFUND', RefundNotification],
    ['PAYOUT', PayoutNotification],
  ] as const)('of %s has the layout of the real one and another event', async (type, layout) => {
    await world.replace({ companyId, body: { events: [{ type, endpoint }] } });
    const answer = await world.test({ companyId, body: { type } });
    expect(answer).toMatchObject({ status: 201, body: { event: 'WEBHOOK.TEST', status: 'PENDING' } });
    const { payload } = answer.body as { payload: Record<string, unknown> };
    expect(payload).toMatchObject({ event: 'WEBHOOK.TEST', code: 'WEBHOOK-TEST' });
    const real = { PAYIN: 'ORDER-PAYIN.PAID', PAYIN_REFUND: 'ORDER-PAYIN.REFUNDED', PAYOUT: 'ORDER-PAYOUT.PAID' }[type];
    expect(layout.safeParse({ ...payload, event: real }).error).toBeUndefined();
    expect(world.items('DELIVERY')).toMatchObject([{ target: { type } }]);
  });

  it('is refused while the type has no active endpoint', async () => {
    await world.replace({ companyId, body: { events: [{ type: 'PAYIN', endpoint, status: 'INACTIVE' }] } });
    for (const type of ['PAYIN', 'PAYOUT'])
      expect(await world.test({ companyId, body: { type } })).toMatchObject({
        status: 409,
        body: { details: [{ field: 'type', issue: 'INVALID_VALUE' }] },
      });
    expect(world.items('DELIVERY')).toEqual([]);
  });
});

import { CreditNotification } from '#shared/credits/notification-contract.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { PayInNotification, PayoutNotification, RefundNotification } from '#shared/webhooks/notification.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { fc } from '#test/support/properties.ts';
import { refused } from '#test/support/refusals.ts';
import type { World } from './webhook-world.ts';
import { company as companyId, noon, otherCompany, webhookWorld } from './webhook-world.ts';

type Page = { nextCursor: string | null; hasNext: boolean; data: { id: string; status: string }[] };

const resource = { type: 'PAY_IN', id: 'o-1' };
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
    const entry = {
      id,
      webhookId: id,
      event: 'ORDER-PAYIN.PAID',
      resource,
      status: 'PENDING',
      endpoint: null,
      attemptsCount: 0,
    };
    const times = { createdAt: noon, lastAttemptAt: null, nextAttemptAt: noon };
    expect((await list()).data).toEqual([{ ...entry, ...times }]);
  });

  it('is shown with its payload and every attempt', async () => {
    const failed = {
      number: 1,
      claimId: 'c-1',
      at: noon,
      outcome: 'FAILED' as const,
      error: 'TIMEOUT' as const,
      durationMs: 10_000,
    };
    const unknown = { number: 2, claimId: 'c-2', at: plusSeconds(noon, 60), outcome: 'UNKNOWN' as const };
    const nextAttemptAt = plusSeconds(noon, 120);
    const { id } = await world.given(
      { attempts: [failed, unknown], endpoint, nextAttemptAt },
      '{"id":"o-1","amount":"10.10"}',
    );
    const { claimId: _, ...shown } = failed;
    const nothing = { httpStatus: null, error: null, durationMs: null, returnCode: null };
    expect((await world.getDelivery({ companyId, params: { id } })).body).toEqual({
      id,
      webhookId: id,
      event: 'ORDER-PAYIN.PAID',
      resource,
      status: 'PENDING',
      endpoint,
      // The second one does not count: its worker died.
      attemptsCount: 1,
      createdAt: noon,
      lastAttemptAt: plusSeconds(noon, 60),
      nextAttemptAt,
      payload: { id: 'o-1', amount: '10.10' },
      attempts: [
        { ...nothing, ...shown },
        { ...nothing, number: 2, at: plusSeconds(noon, 60), outcome: 'UNKNOWN' },
      ],
    });
  });

  it('has no next attempt while a call is under way', async () => {
    const claim = { id: 'c-1', number: 1, at: noon, leaseUntil: plusSeconds(noon, 20) };
    await world.given({ claim });
    expect((await list()).data).toMatchObject([{ lastAttemptAt: noon, nextAttemptAt: null }]);
  });

  it('is not found, listed or sent again when it belongs to another company', async () => {
    const { id } = await world.given();
    for (const call of [world.getDelivery, world.resend])
      for (const request of [
        { companyId: otherCompany, params: { id } },
        { companyId, params: { id: unknownId } },
      ])
        refused(await call(request), 404);
    expect((await world.list({ companyId: otherCompany })).body).toEqual({
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
      world.clock.now = plusSeconds(noon, Math.floor(place / 3));
      const status = place % 4 === 0 ? 'FAILED' : 'DELIVERED';
      given.push(await world.given({ status, event: place % 2 === 0 ? 'E.ONE' : 'E.TWO' }));
    }
    const newestFirst = [...given].sort((x, y) => (x.createdAt + x.id < y.createdAt + y.id ? 1 : -1));
    const filters = fc.record(
      {
        status: fc.constantFrom('FAILED', 'DELIVERED', 'HELD'),
        event: fc.constantFrom('E.ONE', 'E.TWO'),
        open: fc.constant('true'),
        createdAfter: fc.constantFrom(...[-1, 3, 7, 20].map((seconds) => plusSeconds(noon, seconds))),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 45 }), filters, async (limit, query) => {
        const wanted = newestFirst.filter(
          ({ status, event, createdAt }) =>
            status === (query.status ?? status) &&
            event === (query.event ?? event) &&
            (query.open === undefined || status === 'FAILED') &&
            createdAt > (query.createdAfter ?? ''),
        );
        const pages = await walk({ ...query, limit: String(limit) });
        expect(pages.flat()).toEqual(wanted.map(({ id }) => id));
        expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
        expect(pages).toHaveLength(Math.max(1, Math.ceil(wanted.length / limit)));
      }),
      { numRuns: 60 },
    );
  });

  it('is filtered by resource, and by a creation time with any UTC offset', async () => {
    const ids = ['11111111-0000-4000-8000-00000000aa00', '11111111-0000-4000-8000-00000000bb00'] as const;
    const about = async (id: string) => (await world.given({ resource: { type: 'PAYOUT', id } })).id;
    const first = await about(ids[0]);
    world.clock.now = plusSeconds(noon, 60);
    const [second, other] = [await about(ids[0]), await about(ids[1])];
    const found = async (query: Record<string, string>) => (await list(query)).data.map(({ id }) => id);
    expect(await found({ resourceId: ids[0].toUpperCase() })).toEqual([second, first]);
    expect(await found({ resourceId: unknownId })).toEqual([]);
    expect(await found({ resourceId: ids[1], status: 'PENDING' })).toEqual([other]);
    const later = { createdAfter: '2026-01-15T12:00:00-03:00' };
    expect(await found({ resourceId: ids[0], ...later })).toEqual([second]);
    expect((await found(later)).toSorted()).toEqual([second, other].toSorted());
    expect((await world.list({ companyId: otherCompany, query: { resourceId: ids[0] } })).body).toMatchObject({
      data: [],
    });
  });

  it('shows 20 unless asked otherwise', async () => {
    for (let place = 0; place < 21; place += 1) await world.given();
    expect(await list()).toMatchObject({ hasNext: true });
    expect((await list()).data).toHaveLength(20);
  });

  it('takes back only its own cursors, with the same filters, unchanged', async () => {
    for (let place = 0; place < 3; place += 1) {
      await world.given();
      await world.given({}, '{}', otherCompany);
    }
    const cursor = (await list({ limit: '1' })).nextCursor!;
    const otherCompanyPage = (await world.list({ companyId: otherCompany, query: { limit: '1' } })).body as Page;
    expect((await list({ limit: '2', cursor })).data).toHaveLength(2);
    const bytes = Buffer.from(cursor, 'base64url');
    const flipped = Array.from(bytes.keys(), (place) =>
      Buffer.from(bytes.map((byte, at) => (at === place ? byte ^ 1 : byte))).toString('base64url'),
    );
    const cursors = ['x', `${cursor}=`, `${cursor}A`, cursor.slice(0, -1), otherCompanyPage.nextCursor!, ...flipped];
    for (const changed of cursors)
      refused(await world.list({ companyId, query: { cursor: changed } }), 400, ['cursor:INVALID_VALUE'], changed);
    refused(await world.list({ companyId, query: { cursor, status: 'FAILED' } }), 400);
    refused(await world.list({ companyId, query: { cursor, event: 'E' } }), 400);
  });

  it.each([
    [{ limit: '0' }, 'limit', 'OUT_OF_RANGE'],
    [{ limit: '101' }, 'limit', 'OUT_OF_RANGE'],
    [{ limit: '1e1' }, 'limit', 'INVALID_TYPE'],
    [{ limit: '' }, 'limit', 'INVALID_TYPE'],
    [{ status: 'SENT' }, 'status', 'INVALID_VALUE'],
    [{ resourceId: 'order-7' }, 'resourceId', 'INVALID_FORMAT'],
    [{ createdAfter: '2026-01-15' }, 'createdAfter', 'INVALID_FORMAT'],
    [{ createdAfter: '2026-01-15T12:00:00' }, 'createdAfter', 'INVALID_FORMAT'],
    [{ state: 'FAILED' }, 'state', 'UNKNOWN_FIELD'],
  ])('refuses %o', async (query, field, issue) => {
    refused(await world.list({ companyId, query }), 400, [`${field}:${issue}`]);
  });
});

describe('the resend of a delivery', () => {
  it.each(['DELIVERED', 'FAILED', 'HELD', 'PENDING'] as const)(
    'creates a new delivery of the same bytes when the first one is %s',
    async (status) => {
      const body = '{"id":"o-1",  "spaces": "as they were"}';
      const original = await world.given({ status, attempts: [] }, body);
      world.clock.now = plusSeconds(noon, 60);
      const response = await world.resend({ companyId, params: { id: original.id } });
      const expected = {
        event: original.event,
        resource,
        status: 'PENDING',
        attemptsCount: 0,
        attempts: [],
        createdAt: world.clock.now,
        webhookId: original.id,
        resendOf: original.id,
      };
      expect(response).toMatchObject({ status: 201, body: expected });
      const { id } = response.body as { id: string };
      expect(id).not.toBe(original.id);
      const first = (await world.getDelivery({ companyId, params: { id: original.id } })).body;
      expect(first).toMatchObject({ id: original.id, webhookId: original.id, resentAs: id });
      expect(first).not.toHaveProperty('resendOf');
      expect(response.body).not.toHaveProperty('resentAs');
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
  ] as const)('for %s has the layout of a real notification, with event WEBHOOK.TEST', async (type, layout) => {
    await world.replace({ companyId, body: { events: [{ type, endpoint }] } });
    const response = await world.test({ companyId, body: { type } });
    expect(response).toMatchObject({ status: 201, body: { event: 'WEBHOOK.TEST', status: 'PENDING' } });
    const { payload } = response.body as { payload: Record<string, unknown> };
    expect(payload).toMatchObject({ event: 'WEBHOOK.TEST', code: 'WEBHOOK-TEST' });
    const real = { PAYIN: 'ORDER-PAYIN.PAID', PAYIN_REFUND: 'ORDER-PAYIN.REFUNDED', PAYOUT: 'ORDER-PAYOUT.PAID' }[type];
    expect(layout.safeParse({ ...payload, event: real }).error).toBeUndefined();
    const about = { type: 'WEBHOOK_TEST', id: payload['id'] };
    expect(world.items('DELIVERY')).toMatchObject([{ target: { type }, resource: about }]);
  });

  it('for CREDIT has the layout of CREDIT.RECEIVED, with event WEBHOOK.TEST', async () => {
    await world.replace({ companyId, body: { events: [{ type: 'CREDIT', endpoint }] } });
    const { status, body } = await world.test({ companyId, body: { type: 'CREDIT' } });
    const { payload } = body as { payload: Record<string, unknown> };
    expect([status, payload['event']]).toEqual([201, 'WEBHOOK.TEST']);
    expect(CreditNotification.safeParse({ ...payload, event: 'CREDIT.RECEIVED' }).error).toBeUndefined();
    expect(world.items('DELIVERY')).toMatchObject([{ target: { type: 'CREDIT' }, resource: { type: 'WEBHOOK_TEST' } }]);
  });

  it('is refused while the type has no active endpoint', async () => {
    await world.replace({ companyId, body: { events: [{ type: 'PAYIN', endpoint, status: 'INACTIVE' }] } });
    for (const type of ['PAYIN', 'PAYOUT'])
      refused(await world.test({ companyId, body: { type } }), 409, ['type:INVALID_VALUE']);
    expect(world.items('DELIVERY')).toEqual([]);
  });
});

describe('calls that create deliveries by hand', () => {
  it('are refused, and create no delivery, beyond 30 a minute of each operation of a company', async () => {
    await world.replace({ companyId, body: { events: [{ type: 'PAYIN', endpoint }] } });
    const { id } = await world.given();
    const resend = () => world.resend({ companyId, params: { id } });
    const test = () => world.test({ companyId, body: { type: 'PAYIN' } });
    for (const call of [resend, test]) {
      for (let place = 0; place < 30; place += 1) expect(await call()).toMatchObject({ status: 201 });
      const before = world.items('DELIVERY').length;
      const response = await call();
      refused(response, 429, []);
      expect(response.headers['retry-after']).toBe('60');
      expect(world.items('DELIVERY')).toHaveLength(before);
    }
    world.clock.now = plusSeconds(noon, 60);
    expect(await resend()).toMatchObject({ status: 201 });
    expect(await test()).toMatchObject({ status: 201 });
  });

  it('are not counted when the delivery is unknown or the type has no endpoint', async () => {
    for (let place = 0; place < 31; place += 1) {
      refused(await world.resend({ companyId, params: { id: unknownId } }), 404);
      refused(await world.test({ companyId, body: { type: 'PAYIN' } }), 409);
    }
    expect(world.items('CALL_LIMIT')).toEqual([]);
  });
});

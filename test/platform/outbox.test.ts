import { describe, expect, it } from 'vitest';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import {
  attemptErrors,
  attemptOutcomes,
  deliveryStatuses,
  newDelivery,
  parseBacklogName,
  parseCircuitName,
  pausedReasons,
  resourceTypes,
  typeBacklog,
  webhookTypes,
} from '#shared/platform/outbox/delivery.ts';
import {
  deliveriesBegunBy,
  deliveryInserts,
  deliveryItem,
  dispatchItem,
  keepBody,
  dispatchOf,
  drainOf,
  isRelayed,
  parseDelivery,
  parseDeliveryBody,
} from '#shared/platform/outbox/delivery-items.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Key } from '#shared/platform/table/store.ts';
import { CorruptItem } from '#shared/platform/table/store.ts';
import { aNotification } from '../support/builders.ts';

const t0 = '2026-03-02T12:00:00.000Z';
const in90Days = Date.parse(t0) / 1000 + 90 * 86_400;
const notification = { ...aNotification(t0), body: '{"id":"o-1"}' };
const fresh = newDelivery('c-1', notification);
const names = ['company', 'address:0af', 'origin:9', ...webhookTypes.map(typeBacklog)] as const;

describe('a name in the outbox', () => {
  it('is valid for a backlog when it is that of the company, a type or a circuit', () => {
    for (const name of names) expect(parseBacklogName(name)).toBe(name);
    for (const text of ['', 'Company', 'companies', 'type:', 'type:SUBSCRIPTION', 'PAYIN', 'host:0af'])
      expect(parseBacklogName(text)).toBeUndefined();
  });

  it('is valid for a circuit when it is an address or an origin with a lower-case hexadecimal hash', () => {
    for (const name of ['address:0', 'origin:0123456789abcdef']) expect(parseCircuitName(name)).toBe(name);
    for (const text of ['company', 'type:PAYIN', 'address:', 'address:G', 'my-address:0a', 'origin:0a ', 'origin:0A'])
      expect(parseCircuitName(text)).toBeUndefined();
  });

  it('stays the same when partners or the table know it', () => {
    expect(webhookTypes).toEqual(['PAYIN', 'PAYIN_REFUND', 'PAYOUT', 'CREDIT', 'DISPUTE']);
    expect(deliveryStatuses).toEqual(['PENDING', 'DELIVERED', 'FAILED', 'HELD']);
    expect(pausedReasons).toEqual(['ENDPOINT_FAILING', 'ENDPOINT_BUSY']);
    expect(attemptOutcomes).toEqual(['DELIVERED', 'FAILED', 'UNKNOWN']);
    expect(attemptErrors).toEqual([
      ...['DNS', 'CONNECTION_REFUSED', 'CONNECTION_RESET', 'UNREACHABLE', 'CONNECTION_FAILED', 'TIMEOUT', 'TLS'],
      ...['FORBIDDEN_TARGET', 'INVALID_RESPONSE', 'REDIRECT', 'STATUS'],
    ]);
    expect(resourceTypes).toEqual([
      'PAY_IN',
      'PAYOUT',
      'SUBSCRIPTION',
      'SCHEDULED_PAYMENT',
      'CREDIT',
      'DISPUTE',
      'WEBHOOK_TEST',
    ]);
  });
});

describe('a delivery in the table', () => {
  const whole: Delivery = {
    ...fresh,
    resendOf: 'd-0',
    messageId: 'm-1',
    claim: { id: 'c', number: 2, at: t0, leaseUntil: plusSeconds(t0, 20) },
    endpoint: 'https://partner.example/hooks',
    heldAt: t0,
    resentAs: 'd-2',
    resentAt: t0,
    resends: ['d-2'],
    closedAt: t0,
  };
  const attempt = { number: 1, claimId: 'c', at: t0, httpStatus: 500, durationMs: 12, returnCode: 'OK' };

  it('is read as it was written, with all that it can have', () => {
    const { nextAttemptAt: _next, dueAt: _due, ...resting } = fresh;
    const attempts = attemptOutcomes.flatMap((outcome) =>
      attemptErrors.map((error) => ({ ...attempt, outcome, error })),
    );
    const deliveries: Delivery[] = [
      ...[fresh, resting, whole, { ...whole, attempts }],
      ...names.map((backlog): Delivery => ({ ...resting, backlog })),
      ...resourceTypes.map((type): Delivery => ({ ...fresh, resource: { type, id: 'x' } })),
    ];
    for (const one of deliveries) expect(parseDelivery(deliveryItem(one))).toEqual(one);
  });

  it('is corrupt when its backlog is unknown, or its key is that of another item', () => {
    for (const backlog of ['type:OTHER', '', 7, ['address:0a']])
      expect(() => parseDelivery({ ...deliveryItem(fresh), backlog })).toThrow(
        'A delivery item is malformed: backlog.',
      );
    const elsewhere = { ...deliveryItem(fresh), ...keys.deliveryBody('c-1', 'd-1') };
    expect(() => parseDelivery(elsewhere)).toThrow(CorruptItem);
    expect(() => parseDelivery(elsewhere)).toThrow('the key of another item');
  });

  it('is due while it is pending and has a time, or waits in its backlog, in one index of both', () => {
    const item = (more: Partial<Delivery>) => deliveryItem({ ...fresh, ...more });
    const { dueAt: _due, ...undue } = fresh;
    expect(item({})).toMatchObject({ GSI3PK: expect.stringContaining('DUE') as string });
    for (const other of [deliveryItem(undue), item({ status: 'DELIVERED' })])
      expect(other).not.toHaveProperty('GSI3PK');
    const waiting = item({ backlog: 'company' });
    expect(waiting).toMatchObject({ GSI2PK: expect.stringContaining('company') as string, GSI2SK: `${t0}#d-1` });
    expect(waiting).not.toHaveProperty('GSI3PK');
  });

  it('is listed as open while it failed or is held and was not taken since, in its backlog too', () => {
    const item = (more: Partial<Delivery>) => deliveryItem({ ...fresh, ...more });
    for (const status of ['FAILED', 'HELD'] as const) {
      const open = { GSI3PK: `C#c-1#OPEN#${status}`, GSI2SK: `${t0}#d-1` };
      expect(item({ status })).toMatchObject(open);
      expect(item({ status, backlog: 'company' })).toMatchObject({ ...open, GSI2PK: 'C#c-1#BACKLOG#company' });
      for (const backlog of [{}, { backlog: 'company' }] as const)
        expect(item({ status, closedAt: t0, ...backlog })).not.toHaveProperty('GSI3PK');
    }
  });

  it('is listed by its status when it failed, waits or is held, until it is delivered', () => {
    const listed = (more: Partial<Delivery>) => deliveryItem({ ...fresh, ...more })['GSI1PK'];
    const failedOnce: Partial<Delivery> = { attempts: [{ ...attempt, outcome: 'FAILED' }] };
    for (const smooth of [{}, { status: 'DELIVERED' }, { ...failedOnce, status: 'DELIVERED' }] as const)
      expect(listed(smooth)).toBeUndefined();
    for (const [more, list] of [
      [failedOnce, 'PENDING'],
      [{ backlog: 'company' }, 'PENDING'],
      [{ status: 'HELD' }, 'HELD'],
      [{ ...failedOnce, status: 'FAILED' }, 'FAILED'],
    ] as const)
      expect(listed(more)).toBe(`C#c-1#LIST#DELIVERY#${list}`);
  });

  it('is forgotten 90 days after its creation, with its body and its dispatches', () => {
    const items = deliveryInserts('c-1', notification).map(({ put }) => put);
    expect(items.map(({ entity }) => entity)).toEqual(['DELIVERY', 'DELIVERY_BODY']);
    const later = plusSeconds(t0, 86_400);
    for (const item of [...items, dispatchItem(fresh, later, later)]) expect(item['expiresAt']).toBe(in90Days);
  });

  it('expires, with its body, 90 days after its latest resend when it was sent again', () => {
    const resentAt = plusSeconds(t0, 40 * 86_400);
    const kept = in90Days + 40 * 86_400;
    expect(deliveryItem({ ...fresh, resentAt })).toMatchObject({ expiresAt: kept });
    expect(keepBody(fresh, resentAt)).toEqual({
      update: keys.deliveryBody('c-1', 'd-1'),
      set: { expiresAt: kept },
      when: { is: 'present' },
    });
  });

  it('begins by two writes that must not find it there, the second with the bytes to send', () => {
    const inserts = deliveryInserts('c-1', notification);
    expect(inserts.map(({ when }) => when)).toEqual([{ is: 'absent' }, { is: 'absent' }]);
    expect(parseDelivery(inserts[0]!.put)).toEqual(fresh);
    expect(parseDeliveryBody(inserts[1]!.put)).toBe(notification.body);
    expect(() => parseDeliveryBody(inserts[0]!.put)).toThrow('A delivery body item is malformed: body.');
  });

  it('is known to begin by the writes of a transaction, whatever else that writes', () => {
    const inserts = ['d-1', 'd-2'].flatMap((id) => deliveryInserts('c-1', { ...notification, id }));
    const order = { ...keys.order('c-1', 'o-1'), entity: 'ORDER' };
    const others = [
      { put: order, when: { is: 'absent' } },
      { update: keys.delivery('c-1', 'd-3'), set: { entity: 'DELIVERY_BODY' }, when: { is: 'present' } },
      { put: { ...keys.order('c-1', 'o-2'), entity: 'DELIVERY_BODY' }, when: { is: 'absent' } },
      { put: deliveryItem({ ...fresh, id: 'd-4', version: 2 }), when: { equals: { version: 1 } } },
    ] as const;
    expect(deliveriesBegunBy([...inserts, ...others])).toEqual(['d-1', 'd-2']);
    expect(deliveriesBegunBy(others)).toEqual([]);
  });
});

describe('the key of a message', () => {
  const soon = plusSeconds(t0, 30);
  const delivery = keys.delivery('c-1', 'd-1');
  const drain = keys.drain('c-1', 1, soon);

  it('contains company, delivery or drain, number, and the time before which it must not be received', () => {
    const ids = { companyId: 'c-1', deliveryId: 'd-1' };
    expect(dispatchOf(delivery)).toEqual({ ...ids, dispatch: 1 });
    for (const dispatch of [1, 2, 9999, 10_000])
      expect(dispatchOf(keys.deliveryDispatch('c-1', 'd-1', dispatch, soon))).toEqual({
        ...ids,
        dispatch,
        notBefore: soon,
      });
    for (const number of [1, 2, 9999, 10_000])
      expect(drainOf(keys.drain('c-1', number, soon))).toEqual({ companyId: 'c-1', drain: number, notBefore: soon });
    for (const key of [delivery, drain, keys.deliveryDispatch('c-1', 'd-1', 2, soon)])
      expect(isRelayed(key)).toBe(true);
  });

  it('identifies no delivery or drain when a part is missing, invalid or surplus', () => {
    const malformed: Key[] = [
      ...[
        keys.delivery('', 'd-1'),
        keys.delivery('c-1', ''),
        keys.deliveryBody('c-1', 'd-1'),
        keys.order('c-1', 'o-1'),
      ],
      ...[keys.deliveryDispatch('', 'd-1', 2, soon), keys.deliveryDispatch('c-1', '', 2, soon)],
      ...[0, -1, NaN].map((number) => keys.deliveryDispatch('c-1', 'd-1', number, soon)),
      ...['', 'soon', '2026-03-02', `${soon}#x`].map((at) => keys.deliveryDispatch('c-1', 'd-1', 2, at)),
      { ...delivery, PK: `${delivery.PK}#x` },
      { ...delivery, PK: delivery.PK.slice(0, delivery.PK.lastIndexOf('#')) },
      ...[
        { ...delivery, SK: 'DISPATCH#' },
        { ...delivery, SK: 'DISPATCH#2' },
        { PK: 'x', SK: 'DLV' },
      ],
      ...[
        keys.drain('', 1, soon),
        keys.drain('c-1', 0, soon),
        keys.drain('c-1', -1, soon),
        keys.drain('c-1', NaN, soon),
      ],
      ...['', 'soon', '2026-03-02', `${soon}#x`].map((at) => keys.drain('c-1', 1, at)),
      ...[
        { ...drain, PK: 'C#c-1' },
        { ...drain, SK: 'DRAIN#1' },
        { PK: 'x', SK: drain.SK },
      ],
    ];
    for (const key of malformed) expect([key, dispatchOf(key), drainOf(key)]).toEqual([key, undefined, undefined]);
    expect([dispatchOf(drain), drainOf(delivery)]).toEqual([undefined, undefined]);
  });
});

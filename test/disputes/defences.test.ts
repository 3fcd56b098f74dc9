import { beforeEach, describe, expect, it } from 'vitest';
import { openDispute } from '#shared/bank-events/disputes.ts';
import { plusMilliseconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { DisputeNotification } from '#shared/webhooks/notification.ts';
import { each } from '../support/each.ts';
import { refused } from '../support/refusals.ts';
import { disputesWorld } from './disputes-world.ts';

let tested: ReturnType<typeof disputesWorld>;
let orderId: string;
beforeEach(async () => {
  tested = disputesWorld();
  await tested.world.openAccount(0);
  orderId = await tested.paid('100.00');
});
const hours = (count: number): number => count * 3600;
const week = hours(7 * 24);
const documentUrl = (place: number): string => `https://partner.example.com/evidence/${place}.pdf`;

describe('a defence', () => {
  let id: string;
  let opened: string;
  beforeEach(async () => {
    id = await tested.calls.opened(orderId);
    opened = tested.world.clock.now;
    tested.passes(60);
  });

  it('a defence makes the dispute DEFENDED, keeps its money blocked, and is notified with the record', async () => {
    const documents = Array.from({ length: 5 }, (_, place) => documentUrl(place));
    const response = await tested.calls.defend(id, 'k', { text: 'a'.repeat(1000), documents });
    expect(response.status, response.text).toBe(201);
    const { now } = tested.world.clock;
    expect(response.body).toEqual({
      ...{ defenceId: expect.any(String) as string, disputeId: id, text: 'a'.repeat(1000), documents, createdAt: now },
    });
    const record = await tested.calls.record(id);
    expect(record).toMatchObject({ status: 'DEFENDED', defences: [response.body], blockedAmount: { value: '100.00' } });
    expect(record.statusHistory).toEqual([
      { status: 'OPEN', createdAt: opened },
      { status: 'DEFENDED', createdAt: now },
    ]);
    expect(DisputeNotification.parse(tested.world.notifications().at(-1))).toEqual({
      ...{ event: 'DISPUTE.DEFENDED', occurredAt: now, data: record },
    });
    expect(tested.calls.entries()).toHaveLength(1);
  });

  it('needs no documents', async () => {
    const response = await tested.calls.defend(id, 'k', { text: 'x' });
    expect(response.body).toMatchObject({ text: 'x', documents: [] });
  });

  it.each([
    ['no text', {}, 'text:REQUIRED'],
    ['an empty text', { text: '' }, undefined],
    ['a text of 1001 characters', { text: 'a'.repeat(1001) }, undefined],
    ['six documents', { text: 'x', documents: Array.from({ length: 6 }, (_, place) => documentUrl(place)) }, undefined],
    ['an address that is not https', { text: 'x', documents: ['http://partner.example.com/1.pdf'] }, undefined],
    ['an address without a host', { text: 'x', documents: ['https:///1.pdf'] }, undefined],
    ['an address with a query in place of the host', { text: 'x', documents: ['https://?1'] }, undefined],
    ['an address with a port in place of the host', { text: 'x', documents: ['https://:443/1.pdf'] }, undefined],
    ['a document that is no text', { text: 'x', documents: [1] }, undefined],
    ['an unknown field', { text: 'x', note: 'y' }, undefined],
  ] as const)('a defence is 400 with %s, and changes no record', async (_what, body, fault) => {
    const before = tested.world.items();
    refused(await tested.calls.defend(id, 'k', body), 400, fault === undefined ? undefined : [fault]);
    expect(tested.world.items()).toEqual(before);
  });

  it('is 400 without an idempotency key', async () => {
    refused(
      await tested.world.defendDispute({
        ...{ companyId: '11111111-1111-4111-8111-111111111111', params: { id }, body: { text: 'x' } },
      }),
      400,
    );
  });

  it('is answered with the same bytes by its key, also when the bank has decided and it is due', async () => {
    const first = await tested.calls.defend(id, 'k');
    const again = async (): Promise<void> => {
      expect(await tested.calls.defend(id, 'k')).toMatchObject({
        ...{ status: 201, text: first.text, headers: { 'idempotent-replayed': 'true' } },
      });
    };
    await again();
    tested.passes(60);
    await tested.calls.moved(id, 'ACCEPTED');
    await again();
    const told = tested.calls.told();
    tested.world.clock.real = tested.world.clock.now;
    tested.passes(week);
    await again();
    expect(tested.calls.told()).toEqual(told);
  });

  it('is 422 by a key of another text, other documents or another dispute, before every other refusal', async () => {
    const other = await tested.calls.opened(await tested.paid('10.00'));
    expect((await tested.calls.defend(id, 'k')).status).toBe(201);
    const reused = ['idempotency-key:IDEMPOTENCY_KEY_REUSED'];
    refused(await tested.calls.defend(id, 'k', { text: 'Another.' }), 422, reused);
    refused(
      await tested.calls.defend(id, 'k', { text: 'It was delivered.', documents: [documentUrl(1)] }),
      422,
      reused,
    );
    refused(await tested.calls.defend(other, 'k'), 422, reused);
    expect(await tested.calls.record(other)).toMatchObject({ status: 'OPEN' });
  });

  it('is one when many come at once: by one key all get it, by other keys the rest is 409', async () => {
    const same = await Promise.all(Array.from({ length: 5 }, () => tested.calls.defend(id, 'k')));
    expect(new Set(same.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(same[0]?.status).toBe(201);
    const other = await tested.calls.opened(await tested.paid('10.00'));
    const keys = ['a', 'b', 'c', 'd'];
    const responses = await Promise.all(keys.map((key) => tested.calls.defend(other, key, { text: key })));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    expect((await tested.calls.record(other)).defences).toHaveLength(1);
    expect(tested.calls.told().filter((event) => event === 'DISPUTE.DEFENDED')).toHaveLength(2);
  });

  it('is taken until the millisecond before it is due, and 409 after', async () => {
    const { clock } = tested.world;
    const other = await tested.calls.opened(await tested.paid('10.00'));
    clock.now = plusMilliseconds(plusSeconds(opened, week), 1);
    refused(await tested.calls.defend(id, 'late'), 409, ['id:OUTSIDE_WINDOW']);
    const { dueAt } = await tested.calls.record(other);
    clock.now = plusMilliseconds(dueAt, -1);
    expect((await tested.calls.defend(other, 'k')).status).toBe(201);
  });

  it.each(['DEFENDED', 'ACCEPTED', 'REJECTED', 'CANCELED'])(
    'a defence is 409 when the bank decided %s first',
    async (status) => {
      await tested.calls.moved(id, status);
      refused(await tested.calls.defend(id, 'k'), 409, ['id:TRANSITION_NOT_ALLOWED']);
      expect((await tested.calls.record(id)).defences).toEqual([]);
    },
  );

  it('loses against a decision that comes while it is written', async () => {
    tested.rival('DEFENCE', () => tested.calls.moved(id, 'REJECTED'));
    refused(await tested.calls.defend(id, 'k'), 409, ['id:TRANSITION_NOT_ALLOWED']);
    expect(await tested.calls.record(id)).toMatchObject({ status: 'REJECTED', defences: [] });
  });

  it('is kept when more money is blocked while it is written', async () => {
    const other = await tested.paid('50.00');
    await tested.spent('50.00');
    const short = await tested.calls.opened(other);
    await tested.credits.received('20.00');
    tested.passes(60);
    tested.rival('DEFENCE', () => tested.runs());
    expect((await tested.calls.defend(short, 'k')).status).toBe(201);
    expect(await tested.calls.record(short)).toMatchObject({ status: 'DEFENDED', blockedAmount: { value: '20.00' } });
    tested.consistent();
  });

  it('needs no active account', async () => {
    await tested.world.setAccountStatus('ACTIVE', 'INACTIVE');
    expect((await tested.calls.defend(id, 'k')).status).toBe(201);
  });

  it('a defence is shown in the notification of the decision that follows it', async () => {
    const { body } = await tested.calls.defend(id, 'k');
    tested.passes(60);
    await tested.calls.moved(id, 'REJECTED');
    expect(tested.world.notifications().at(-1)).toMatchObject({
      ...{ event: 'DISPUTE.REJECTED', data: { status: 'REJECTED', defences: [body] } },
    });
    const { statusHistory } = await tested.calls.record(id);
    expect(statusHistory.map(({ status }) => status)).toEqual(['OPEN', 'DEFENDED', 'REJECTED']);
  });
});

describe('a dispute that waits for a defence', () => {
  const soon = () => tested.world.notifications().filter(({ event }) => event === 'DISPUTE.DUE_SOON');
  /** Opens a dispute that is due so many hours later, as a bank may say. */
  const openedFor = async (count: number): Promise<string> => {
    const context = tested.credits.context();
    const claim = { kind: 'FRAUD', reason: 'A scam.', dueAt: plusSeconds(context.at, hours(count)) } as const;
    return (await openDispute(context, { orderId }, claim)).dispute.id;
  };
  /** Runs the jobs every hour, so many hours long. */
  const hourly = async (count: number): Promise<readonly number[]> => {
    const told: number[] = [];
    for (let hour = 1; hour <= count; hour += 1) {
      tested.passes(hours(1));
      const before = soon().length;
      await tested.runs();
      if (soon().length > before) told.push(hour);
    }
    return told;
  };

  it.each([
    [168, [120, 162]],
    [49, [1, 43]],
    [47, [41]],
    [7, [1]],
    [5, []],
  ])('a dispute that is due in %i hours is notified as due soon after %j hours', async (count, expected) => {
    await openedFor(count);
    expect(await hourly(count + 3)).toEqual(expected);
    expect(tested.world.items('DISPUTE_REMINDER')).toEqual([]);
  });

  it.each(['DEFENDED', 'ACCEPTED', 'REJECTED', 'CANCELED'])(
    'a dispute is not notified as due soon any more when it is %s',
    async (status) => {
      const id = await openedFor(50);
      expect(await hourly(3)).toEqual([2]);
      await tested.calls.moved(id, status);
      expect(await hourly(50)).toEqual([]);
    },
  );

  it('the notification of a dispute that is due soon has its record and its time', async () => {
    const id = await openedFor(50);
    tested.passes(hours(2));
    await tested.runs();
    expect(soon()).toEqual([
      { event: 'DISPUTE.DUE_SOON', occurredAt: tested.world.clock.now, data: await tested.calls.record(id) },
    ]);
  });

  it('a dispute is notified as due soon once when the clock passes both times at once', async () => {
    await openedFor(168);
    tested.passes(hours(165));
    await tested.runs();
    await tested.runs();
    expect(soon()).toHaveLength(1);
  });

  it('a dispute is not notified as due soon when it was due already', async () => {
    await openedFor(168);
    tested.passes(hours(169));
    await tested.runs();
    expect(soon()).toEqual([]);
    expect(tested.world.items('DISPUTE_REMINDER')).toEqual([]);
  });

  it('a dispute is not notified as due soon when it is defended while the reminder is written', async () => {
    const id = await openedFor(50);
    tested.passes(hours(2));
    tested.rival('DISPUTE_REMINDER', () => tested.calls.defend(id, 'k'));
    await tested.world.runDisputeJobs();
    expect(tested.calls.told()).toEqual(['DISPUTE.OPENED', 'DISPUTE.DEFENDED']);
  });

  it('a dispute is notified as due soon once when two workers run at once', async () => {
    for (const dueIn of each([50, 7])) {
      tested = disputesWorld();
      await tested.world.openAccount(0);
      orderId = await tested.paid('100.00');
      await openedFor(dueIn);
      tested.passes(hours(dueIn === 50 ? 2 : 1));
      await Promise.all([tested.world.runDisputeJobs(), tested.world.runDisputeJobs()]);
      expect(soon()).toHaveLength(1);
    }
  });
});

import { describe, expect, it } from 'vitest';
import type { Outgoing } from '#shared/webhooks/dispatch/queue.ts';
import {
  isDrainMessage,
  outgoingOf,
  parseDeliveryMessage,
  parseDrainMessage,
  relay,
} from '#shared/webhooks/dispatch/queue.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Key } from '#shared/platform/table/store.ts';
import { fc } from '../support/properties.ts';

const now = '2026-03-02T12:00:00.000Z';
const keyOf = ({ PK, SK }: Key) => ({ PK: { S: PK }, SK: { S: SK } });
const record = (key: Key, eventName = 'INSERT', SequenceNumber = '100') => {
  return { eventName, dynamodb: { SequenceNumber, Keys: keyOf(key) } };
};
const delivery = keys.delivery('c-1', 'd-1');
const dispatch = (notBefore: string) => keys.deliveryDispatch('c-1', 'd-1', 3, notBefore);

describe('stream records', () => {
  it('become messages with company, delivery and dispatch, and no other field', () => {
    const { outgoing } = outgoingOf([record(delivery)], now);
    const message = { companyId: 'c-1', deliveryId: 'd-1', dispatch: 1 };
    expect(outgoing).toEqual([{ sequenceNumber: '100', message, delaySeconds: 0 }]);
    expect(outgoingOf([record(dispatch(now))], now).outgoing[0]?.message).toEqual({ ...message, dispatch: 3 });
  });

  it('become messages of the drain queue when a drain was asked for', () => {
    const { outgoing, malformed } = outgoingOf([record(keys.drain('c-1', 7, '2026-03-02T12:00:30.000Z'))], now);
    expect(outgoing).toEqual([{ sequenceNumber: '100', message: { companyId: 'c-1', drain: 7 }, delaySeconds: 30 }]);
    expect([outgoing.map(isDrainMessage), malformed]).toEqual([[true], 0]);
  });

  it('wait until the time of their dispatch, in whole seconds, up to the queue’s 900', () => {
    const delayOf = (notBefore: string) => outgoingOf([record(dispatch(notBefore))], now).outgoing[0]?.delaySeconds;
    expect(delayOf('2026-03-02T12:00:59.001Z')).toBe(60);
    expect(delayOf('2026-03-02T11:00:00.000Z')).toBe(0);
    expect(delayOf('2026-03-02T12:15:00.000Z')).toBe(900);
    expect(delayOf('2026-03-02T13:00:00.000Z')).toBe(900);
  });

  it('are passed over when they are not inserts of deliveries or dispatches, whatever the filter lets through', () => {
    const others = [
      record(delivery, 'MODIFY'),
      record(delivery, 'REMOVE'),
      record(keys.deliveryBody('c-1', 'd-1')),
      record(keys.order('c-1', 'o-1')),
      record(keys.webhookSecret('c-1')),
      { eventName: 'INSERT', dynamodb: { SequenceNumber: '1' } },
      {},
    ];
    expect(outgoingOf(others, now)).toEqual({ outgoing: [], malformed: 0 });
  });

  it('are counted, and do not stop the others, when they are malformed inserts', () => {
    const malformed = [
      { PK: 'C#c-1#ORDER#o-1', SK: 'DLV' },
      { PK: 'C#c-1#UNIQ#PAYOUT#x#DLV#d-1', SK: 'DLV' },
      ...['DISPATCH#', 'DISPATCH#0002', 'DISPATCH#0000#2026-03-02T12:00:00.000Z', 'DISPATCH#0002#soon'].map((SK) => ({
        PK: delivery.PK,
        SK,
      })),
    ];
    const result = outgoingOf([...malformed.map((key) => record(key)), record(delivery)], now);
    expect([result.outgoing.length, result.malformed]).toEqual([1, malformed.length]);
  });
});

describe('a text', () => {
  it('is a message of a delivery or of a drain when it has all of its parts, counted from 1, and else of none', () => {
    const both = (value: unknown) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return [parseDeliveryMessage(text), parseDrainMessage(text)];
    };
    const delivery = { companyId: 'c', deliveryId: 'd', dispatch: 1 };
    const drain = { companyId: 'c', drain: 1 };
    expect(both(delivery)).toEqual([delivery, undefined]);
    expect(both(drain)).toEqual([undefined, drain]);
    expect(both({ ...drain, drain: 7 })).toEqual([undefined, { ...drain, drain: 7 }]);
    const torn = ['', '{', 'null', '7', {}, { companyId: 'c' }, { drain: 1 }, { deliveryId: 'd', dispatch: 1 }];
    const wrong = ['1', 0, 1.5, null].flatMap((number) => [
      { ...delivery, dispatch: number },
      { ...drain, drain: number },
    ]);
    for (const value of [...torn, ...wrong]) expect([value, ...both(value)]).toEqual([value, undefined, undefined]);
  });

  it('is no drain message when it is absent', () => {
    expect(isDrainMessage(undefined)).toBe(false);
  });
});

describe('the relay', () => {
  const messages = (count: number): Outgoing[] =>
    Array.from({ length: count }, (_, place) => {
      const message = { companyId: 'c', deliveryId: `d-${place}`, dispatch: 1 };
      return { sequenceNumber: String(place), message, delaySeconds: 0 };
    });

  it('sends in the order of the stream, ten at a time', async () => {
    const batches: string[][] = [];
    const relayed = await relay(messages(23), (batch) => {
      batches.push(batch.map(({ sequenceNumber }) => sequenceNumber));
      return Promise.resolve(new Set());
    });
    expect(batches.map(({ length }) => length)).toEqual([10, 10, 3]);
    expect(batches.flat()).toEqual(messages(23).map(({ sequenceNumber }) => sequenceNumber));
    expect(relayed.failedFrom).toBeUndefined();
    expect(relayed.sent).toHaveLength(23);
  });

  it('sends drains to their own queue, and mixes them with no deliveries', async () => {
    const drains = [7, 8].map((drain): Outgoing => ({ ...messages(1)[0]!, message: { companyId: 'c', drain } }));
    const [first, second] = messages(2);
    const batches: boolean[][] = [];
    await relay([first!, drains[0]!, second!, drains[1]!], (batch) => {
      batches.push(batch.map(isDrainMessage));
      return Promise.resolve(new Set());
    });
    expect(batches).toEqual([
      [false, false],
      [true, true],
    ]);
  });

  it('names the first message that was not taken, of whichever queue, and everything else was sent', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 45 }),
        fc.array(fc.nat(44), { minLength: 1 }),
        fc.array(fc.nat(44)),
        async (count, refused, drains) => {
          const all = messages(count).map((one, place) =>
            drains.includes(place) ? { ...one, message: { companyId: 'c', drain: place + 1 } } : one,
          );
          const { failedFrom, sent } = await relay(all, (batch) => {
            const sequenceNumbers = batch.map(({ sequenceNumber }) => Number(sequenceNumber));
            return Promise.resolve(
              new Set([...batch.keys()].filter((place) => refused.includes(sequenceNumbers[place] ?? -1))),
            );
          });
          const first = Math.min(...refused.filter((place) => place < count));
          const taken = sent.map(({ sequenceNumber }) => Number(sequenceNumber));
          expect(failedFrom).toBe(Number.isFinite(first) ? String(first) : undefined);
          expect(taken).toEqual([...all.keys()].filter((place) => !refused.includes(place)));
        },
      ),
    );
  });
});

import { describe, expect, it } from 'vitest';
import {
  childOrderId,
  childSequence,
  endToEndId,
  isChildOrderId,
  isUuid,
  maxChildren,
  orderIdOf,
  parentOrderId,
  recurrenceId,
  returnId,
  strControlNumber,
  transactionId,
} from '#shared/core/identifiers.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import { fc } from '../support/properties.ts';

const ids: Ids = {
  uuid: () => '0f8fad5b-d9cb-469f-a165-70867728950e',
  orderId: () => '7c9e6679-7425-40de-944b-e07fc1f90a00',
  alphanumeric: (length) => 'aB3dE5gH7jK9'.slice(0, length),
  digits: (length) => '123456789'.slice(0, length),
};
/** Already 15 January in UTC, still the 14th in Brasilia. */
const instant = '2026-01-15T02:59:59.000Z';
const anyOrderId = fc.uuid().map((id) => `${id.slice(0, -2)}00`);

describe('the ids of a batch', () => {
  it('differ from the order in the last byte, the place in hexadecimal', () => {
    expect(childOrderId(ids.orderId(), 1)).toBe('7c9e6679-7425-40de-944b-e07fc1f90a01');
    expect(childOrderId(ids.orderId(), 90)).toBe('7c9e6679-7425-40de-944b-e07fc1f90a5a');
  });

  it('lead from child to order and place, for every order and place', () => {
    fc.assert(
      fc.property(anyOrderId, fc.integer({ min: 1, max: maxChildren }), (orderId, sequence) => {
        const child = childOrderId(orderId, sequence);
        expect(isUuid(child)).toBe(true);
        expect([parentOrderId(child), childSequence(child)]).toEqual([orderId, sequence]);
      }),
    );
  });

  it('include the order id as its own parent, and not as a child', () => {
    expect(isChildOrderId(ids.orderId())).toBe(false);
    expect(childSequence(ids.orderId())).toBeUndefined();
    expect(parentOrderId(ids.orderId())).toBe(ids.orderId());
  });

  it.each(['7c9e6679-7425-40de-944b-e07fc1f90a5b', '7c9e6679-7425-40de-944b-e07fc1f90aff', 'not-an-id-01', ''])(
    'never lead from "%s" to another order',
    (id) => {
      expect(isChildOrderId(id)).toBe(false);
      expect(parentOrderId(id)).toBe(id);
    },
  );

  it.each([0, 91, 1.5, -1, Number.NaN])('are refused for the place %d', (sequence) => {
    expect(() => childOrderId(ids.orderId(), sequence)).toThrow(RangeError);
  });

  it('come from an order only, never from a child', () => {
    expect(() => childOrderId(childOrderId(ids.orderId(), 3), 1)).toThrow(RangeError);
  });
});

describe('a UUID', () => {
  it('is recognised in either case and any version, as the keys of the DICT need', () => {
    expect(isUuid('123e4567-e12b-12d1-a456-426655440000')).toBe(true);
    expect(isUuid('123E4567-E12B-12D1-A456-426655440000')).toBe(true);
  });

  it.each([
    '',
    '123e4567e12b12d1a456426655440000',
    '{123e4567-e12b-12d1-a456-426655440000}',
    'g23e4567-e12b-12d1-a456-426655440000',
    '0123e4567-e12b-12d1-a456-426655440000',
    '123e4567-e12b-12d1-a456-4266554400000',
  ])('is not recognised in "%s"', (text) => {
    expect(isUuid(text)).toBe(false);
  });
});

describe('the ids of the field', () => {
  it('name a payment by participant and UTC minute', () => {
    const id = endToEndId('12345678', instant, ids);
    expect(id).toBe('E12345678202601150259aB3dE5gH7jK');
    expect(id).toMatch(/^E[0-9A-Z]{8}\d{12}[A-Za-z0-9]{11}$/);
  });

  it('name a refund alike, with a D', () => {
    expect(returnId('12345678', instant, ids)).toBe('D12345678202601150259aB3dE5gH7jK');
  });

  it('name a recurrence by whether it may be retried and by the day in Brasilia', () => {
    const id = recurrenceId({ retriesAllowed: true, ispb: '12345678', instant, ids });
    expect(id).toBe('RR1234567820260114aB3dE5gH7jK');
    expect(id).toHaveLength(29);
    expect(recurrenceId({ retriesAllowed: false, ispb: '12345678', instant, ids })).toBe(
      'RN1234567820260114aB3dE5gH7jK',
    );
  });

  it('name a charge by 32 hexadecimal digits', () => {
    expect(transactionId(ids)).toBe('0f8fad5bd9cb469fa16570867728950e');
  });

  it('lead from the charge of an order to that order, and from no other text to one', () => {
    fc.assert(
      fc.property(anyOrderId, (orderId) => {
        expect(orderIdOf(transactionId({ ...ids, uuid: () => orderId }))).toBe(orderId);
      }),
    );
    const txid = '7c9e6679742540de944be07fc1f90a00';
    expect(orderIdOf(txid)).toBe(ids.orderId());
    const others = [ids.orderId(), txid.toUpperCase(), `0${txid}`, `${txid}0`, `${txid}00`, txid.slice(2), ''];
    for (const text of [...others, txid.replace(/00$/u, '01')]) expect(() => orderIdOf(text)).toThrow(RangeError);
  });

  it('name a TED by the day in Brasilia and nine digits', () => {
    expect(strControlNumber(instant, ids)).toBe('STR20260114123456789');
  });

  it('accept the letters of an ISPB, and refuse what is none', () => {
    expect(endToEndId('12ABC345', instant, ids)).toContain('E12ABC345');
    expect(() => endToEndId('1234567', instant, ids)).toThrow(RangeError);
    for (const ispb of ['1234567a', '012345678', '123456780'])
      expect(() => returnId(ispb, instant, ids)).toThrow(RangeError);
    expect(() => recurrenceId({ retriesAllowed: true, ispb: '', instant, ids })).toThrow(RangeError);
  });
});

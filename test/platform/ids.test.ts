import { describe, expect, it } from 'vitest';
import { childOrderId, isUuid } from '#shared/core/identifiers.ts';
import { randomIds } from '#shared/platform/ids.ts';

const many = Array.from({ length: 500 });

describe('random identifiers', () => {
  it('leave the last byte of an order free for its children', () => {
    for (const id of many.map(() => randomIds.orderId())) {
      expect(isUuid(id)).toBe(true);
      expect(id.endsWith('00')).toBe(true);
      expect(isUuid(childOrderId(id, 1))).toBe(true);
    }
  });

  it('are not repeated', () => {
    expect(new Set(many.map(() => randomIds.uuid())).size).toBe(many.length);
    expect(new Set(many.map(() => randomIds.orderId())).size).toBe(many.length);
    expect(new Set(many.map(() => randomIds.alphanumeric(11))).size).toBe(many.length);
  });

  it('have exactly the characters asked for, all of them in use', () => {
    expect(randomIds.alphanumeric(11)).toMatch(/^[A-Za-z0-9]{11}$/);
    expect(randomIds.digits(9)).toMatch(/^[0-9]{9}$/);
    expect(randomIds.digits(0)).toBe('');
    expect(new Set(randomIds.alphanumeric(5000)).size).toBe(62);
    expect(new Set(randomIds.digits(1000)).size).toBe(10);
  });
});

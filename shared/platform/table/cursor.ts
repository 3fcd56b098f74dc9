import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { wrong } from '#shared/core/errors.ts';
import type { ListKind } from './list-kinds.ts';

/** What a cursor is good for: this company's listing with these filters, and no other. */
export type CursorScope = {
  readonly companyId: string;
  readonly kind: ListKind;
  readonly filters: Readonly<Record<string, string | undefined>>;
};

/**
 * The entry behind which the next page begins: its sort key in the index, and the id that leads to its key in the
 * table.
 */
export type Position = { readonly sort: string; readonly id: string };

const macBytes = 16;
const PositionShape = z.tuple([z.string(), z.string()]);

/** The key with which a company's cursors are authenticated: 32 random bytes, base64. */
export function newCursorKey(): string {
  return randomBytes(32).toString('base64');
}

/** A position as opaque text: base64url of the position and of 16 bytes of its HMAC-SHA256. */
export function cursorOf(key: string, scope: CursorScope, { sort, id }: Position): string {
  const payload = Buffer.from(JSON.stringify([sort, id]));
  return Buffer.concat([mac(key, scope, payload), payload]).toString('base64url');
}

/**
 * The position inside a cursor. A cursor that was changed, or made for another company or other filters, is refused on
 * the field `cursor`.
 */
export function positionOf(key: string, scope: CursorScope, cursor: string): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  const payload = bytes.subarray(macBytes);
  // Decoding skips what is not base64url: only the very text that was given out counts.
  const own = bytes.length > macBytes && bytes.toString('base64url') === cursor;
  if (!own || !timingSafeEqual(bytes.subarray(0, macBytes), mac(key, scope, payload)))
    throw wrong('cursor', 'INVALID_VALUE', 'Must be the nextCursor of a page of this listing with the same filters.');
  const [sort, id] = PositionShape.parse(JSON.parse(payload.toString()));
  return { sort, id };
}

function mac(key: string, { companyId, kind, filters }: CursorScope, payload: Buffer): Buffer {
  const given = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const bound = JSON.stringify([companyId, kind, given]);
  return createHmac('sha256', Buffer.from(key, 'base64'))
    .update(`${String(bound.length)}.${bound}`)
    .update(payload)
    .digest()
    .subarray(0, macBytes);
}

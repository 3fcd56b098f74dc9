import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { badRequest } from '#shared/core/errors.ts';
import type { ListKind } from './list-kinds.ts';

/** A cursor belongs to one listing of one company with these filters. */
export type CursorScope = {
  readonly companyId: string;
  readonly kind: ListKind;
  readonly filters: Readonly<Record<string, string | undefined>>;
};

/** The last entry of a page: its sort key in the index, and the id of its item. */
export type Position = { readonly sort: string; readonly id: string };

const macBytes = 16;
const PositionShape = z.tuple([z.string(), z.string()]);

/** The key of a company's cursors: 32 random bytes, base64. */
export function newCursorKey(): string {
  return randomBytes(32).toString('base64');
}

/** A position as opaque text: base64url of 16 bytes of its HMAC-SHA256 and the position. */
export function cursorOf(key: string, scope: CursorScope, { sort, id }: Position): string {
  const payload = Buffer.from(JSON.stringify([sort, id]));
  return Buffer.concat([mac(key, scope, payload), payload]).toString('base64url');
}

/**
 * The position of a cursor. @throws RequestError on `cursor` when it was changed, or is of another company or filter
 */
export function positionOf(key: string, scope: CursorScope, cursor: string): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  const payload = bytes.subarray(macBytes);
  // Decoding skips characters outside base64url: only the exact text is accepted.
  const own = bytes.length > macBytes && bytes.toString('base64url') === cursor;
  if (!own || !timingSafeEqual(bytes.subarray(0, macBytes), mac(key, scope, payload)))
    throw badRequest(
      'cursor',
      'INVALID_VALUE',
      'Must be the nextCursor of a page of this listing with the same filters.',
    );
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

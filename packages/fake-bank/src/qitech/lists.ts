import { invalidPayload } from './refusals.ts';
import type { Session } from './session.ts';
import { isDay, withoutZone } from '../time.ts';
import type { Instant } from '../time.ts';

type Options<T> = {
  readonly at: (item: T) => Instant;
  /** Default and maximum number of items of a page. */
  readonly pageSize: number;
  readonly order: 'asc' | 'desc';
};

/**
 * Returns a page of a list: `date_from`, `date_to`, `order_by`, `page` from 1 and `page_size`.
 *
 * @param items Oldest first.
 * @throws Refusal 400 for a parameter of another shape.
 */
export function pageOf<T>(
  { settings }: Pick<Session, 'settings'>,
  query: URLSearchParams,
  items: readonly T[],
  { at, pageSize, order }: Options<T>,
): { readonly items: readonly T[]; readonly page: number; readonly size: number; readonly isLast: boolean } {
  const [from, to] = [readDay(query, 'date_from'), readDay(query, 'date_to')];
  const orderBy = query.get('order_by') ?? order;
  if (orderBy !== 'asc' && orderBy !== 'desc') throw invalidPayload('order_by must be asc or desc');
  const page = readCount(query, 'page', 1);
  const size = Math.min(readCount(query, 'page_size', pageSize), pageSize);
  const found = items.filter((item) => {
    const day = withoutZone(at(item), settings.zone).slice(0, 10);
    return (from === undefined || from <= day) && (to === undefined || day <= to);
  });
  const ordered = orderBy === 'asc' ? found : found.toReversed();
  const end = page * size;
  return { items: ordered.slice(end - size, end), page, size, isLast: end >= ordered.length };
}

function readDay(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name) ?? undefined;
  if (text !== undefined && !isDay(text)) throw invalidPayload(`${name} must be YYYY-MM-DD`);
  return text;
}

function readCount(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name) ?? String(otherwise);
  if (!/^[1-9]\d{0,8}$/u.test(text)) throw invalidPayload(`${name} must be a positive integer`);
  return Number(text);
}

import { setTimeout as sleep } from 'node:timers/promises';
import { GetDelivery } from '#functions/webhooks/get-delivery/contract.ts';
import { ListDeliveries } from '#functions/webhooks/list-deliveries/contract.ts';
import type { Contract } from '#shared/contract/contract.ts';
import { readResponse } from '../api/responses.ts';
import type { AnyRequest, Partner } from '../api/client.ts';
import { TokenError } from '../api/client.ts';
import type { HttpResponse } from '../api/http.ts';

/** A notification, as the log lists it. */
export type Listed = { readonly id: string; readonly createdAt: string; readonly event: string };

/** The notifications of a company, as its delivery log has them. */
export type DeliveryLog = {
  /** Everything that was created later than a moment (empty: everything that is kept), newest first. */
  readonly listAfter: (moment: string) => Promise<readonly Listed[]>;
  /** The moment of the newest one; undefined when there is none. */
  readonly newest: () => Promise<string | undefined>;
  /** The very bytes that the service sends; undefined once the log has forgotten them (90 days). */
  readonly bytesOf: (id: string) => Promise<string | undefined>;
};

/** Statuses that are retried. */
const temporary = [429, 500, 503, 504];
const firstWaitMs = 500;
const longestWaitMs = 30_000;

/**
 * Reads a company's delivery log. Temporary errors are retried after growing waits; an expired token is replaced.
 *
 * @param connect A system of the company, without a token yet.
 * @param whenAway Called once for each time that the environment stays away, with the reason.
 */
export function openDeliveryLog(
  connect: () => Partner,
  signal: AbortSignal,
  whenAway: (because: string) => void,
): DeliveryLog {
  let partner = connect();
  const ask = async (contract: Contract, parts: AnyRequest): Promise<HttpResponse> => {
    let renewed = false;
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
      const received = await partner.answer(contract, parts).catch((error: unknown) => {
        if (error instanceof TokenError) throw error;
        return describe(error);
      });
      if (typeof received !== 'string' && ![401, ...temporary].includes(received.status)) return received;
      if (typeof received !== 'string' && received.status === 401 && renewed) return received;
      // Its token has ended, or it got none.
      if (typeof received === 'string' || received.status === 401) partner = connect();
      renewed ||= typeof received !== 'string' && received.status === 401;
      if (waitMs === firstWaitMs * 2) whenAway(typeof received === 'string' ? received : `${received.status}`);
      await sleep(waitMs, undefined, { signal });
    }
  };
  const page = async (query: Readonly<Record<string, string>>) =>
    readResponse(ListDeliveries, await ask(ListDeliveries, { query })).body;
  return {
    listAfter: async (moment) => {
      const query = { limit: '100', ...(moment !== '' && { createdAfter: moment }) };
      const found: Listed[] = [];
      let cursor: string | null = null;
      do {
        const listed: Awaited<ReturnType<typeof page>> = await page({ ...query, ...(cursor !== null && { cursor }) });
        found.push(...listed.data.map(({ id, createdAt, event }) => ({ id, createdAt, event })));
        cursor = listed.hasNext ? listed.nextCursor : null;
      } while (cursor !== null);
      return found;
    },
    newest: async () => (await page({ limit: '1' })).data[0]?.createdAt,
    bytesOf: async (id) => {
      const received = await ask(GetDelivery, { params: { id } });
      // The service writes these bytes by JSON.stringify: its text of the parsed payload is the same again.
      return received.status === 404 ? undefined : JSON.stringify(readResponse(GetDelivery, received).body.payload);
    },
  };
}

function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join(', ');
  return error instanceof Error ? error.message : String(error);
}

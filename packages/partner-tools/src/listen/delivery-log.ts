import { setTimeout as sleep } from 'node:timers/promises';
import { GetDelivery } from '#functions/webhooks/get-delivery/contract.ts';
import { ListDeliveries } from '#functions/webhooks/list-deliveries/contract.ts';
import type { Contract } from '#shared/contract/contract.ts';
import { readResponse } from '../api/responses.ts';
import type { AnyRequest, Partner } from '../api/client.ts';
import { TokenError } from '../api/client.ts';
import type { HttpResponse } from '../api/http.ts';

/** A notification in the log's list. */
export type Listed = { readonly id: string; readonly createdAt: string; readonly event: string };

export type DeliveryLog = ReturnType<typeof openDeliveryLog>;

/** The `user-agent` of a listener. A log of requests may omit the listener's polling by it. */
export const listenerAgent = 'banking-order-listen';

/** Statuses that are retried. */
const temporary = [429, 500, 503, 504];
const firstWaitMs = 500;
const longestWaitMs = 30_000;

/**
 * Reads a company's delivery log. Temporary errors are retried with backoff; an expired token is replaced.
 * @param connect Returns a partner without a token.
 * @param whenAway Called with the reason when the second try of a call has failed too.
 */
export function openDeliveryLog(connect: () => Partner, signal: AbortSignal, whenAway: (because: string) => void) {
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
      // The token has expired, or there was none.
      if (typeof received === 'string' || received.status === 401) partner = connect();
      renewed ||= typeof received !== 'string' && received.status === 401;
      if (waitMs === firstWaitMs * 2) whenAway(typeof received === 'string' ? received : `${received.status}`);
      await sleep(waitMs, undefined, { signal });
    }
  };
  const page = async (query: Readonly<Record<string, string>>) =>
    readResponse(ListDeliveries, await ask(ListDeliveries, { query }), 'OPEN').body;
  return {
    /** Lists the notifications that were created after a moment, newest first; for an empty text all of them. */
    listAfter: async (moment: string): Promise<readonly Listed[]> => {
      const query = { limit: '100', ...(moment !== '' && { createdAfter: moment }) };
      const found: Listed[] = [];
      for (let cursor: string | null | undefined; cursor !== null;) {
        const listed: Awaited<ReturnType<typeof page>> = await page({ ...query, ...(cursor && { cursor }) });
        found.push(...listed.data.map(({ id, createdAt, event }) => ({ id, createdAt, event })));
        cursor = listed.hasNext ? listed.nextCursor : null;
      }
      return found;
    },
    /** Returns the creation time of the newest notification; undefined when there is none. */
    newest: async (): Promise<string | undefined> => (await page({ limit: '1' })).data[0]?.createdAt,
    /**
     * Reads the `webhook-id` and the exact bytes that the service sends; undefined when the log no longer has the
     * delivery.
     */
    sentOf: async (id: string): Promise<{ readonly webhookId: string; readonly body: string } | undefined> => {
      const received = await ask(GetDelivery, { params: { id } });
      if (received.status === 404) return undefined;
      const { webhookId, payload } = readResponse(GetDelivery, received, 'OPEN').body;
      // The service writes these bytes by JSON.stringify: the parsed payload gives the same text again.
      return { webhookId, body: JSON.stringify(payload) };
    },
  };
}

function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join(', ');
  return error instanceof Error ? error.message : String(error);
}

import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import { keys } from '../platform/table/keys.ts';
import { parseItem } from '../platform/table/parse.ts';
import type { Store, Update, Put } from '../platform/table/store.ts';

const ApiClientItem = z.object({
  clientId: z.string(),
  companyId: z.string(),
  status: z.enum(['ACTIVE', 'DISABLED']),
  createdAt: z.string(),
  usageIdentifierKey: z.string().exactOptional(),
});

/** An OAuth client of a company. `usageIdentifierKey`: its API key of the usage plan, if not the company's id. */
export type ApiClient = z.output<typeof ApiClientItem>;

/**
 * Returns the put of a new client, which leads from a token to a company. A client never changes its company: the put
 * fails when the client exists already.
 */
export function apiClientInsert(client: ApiClient): Put {
  const item = { ...keys.apiClient(client.clientId), entity: 'API_CLIENT', version: 1, ...client };
  return { put: item, when: { is: 'absent' } };
}

/** Disables or enables a client; the authorizer's cache follows within a minute. */
export function apiClientStatusUpdate(clientId: string, status: ApiClient['status'], at: Instant): Update {
  const set = { status, updatedAt: at };
  return { update: keys.apiClient(clientId), set, add: { version: 1 }, when: { is: 'present' } };
}

/** Reads a client; undefined when no company has it. @throws CorruptItem */
export async function readApiClient(store: Store, clientId: string): Promise<ApiClient | undefined> {
  const [item] = await store.read([keys.apiClient(clientId)]);
  return item && parseItem(ApiClientItem, item, 'API client');
}

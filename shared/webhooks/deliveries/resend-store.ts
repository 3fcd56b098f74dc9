import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { epochSeconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import type { DeliveryResend, ResendPosition } from './resend.ts';
import { resentStatuses } from './resend.ts';
import { dueAttributesAt, keys } from '#shared/platform/table/keys.ts';
import type { Members } from '#shared/platform/table/parse.ts';
import { parseItem } from '#shared/platform/table/parse.ts';
import type { Item, Put, Store } from '#shared/platform/table/store.ts';

/** As long as the deliveries that it sent again, so that it can be read beside them. */
const keptSeconds = 90 * 86_400;
/** The lists of statuses are read from an index, which shows a status late: begun after this, it misses none. */
const indexSettlesSeconds = 5;

const PositionShape = z.object({
  status: z.enum(resentStatuses),
  behind: z.object({ sort: z.string(), id: z.string() }).exactOptional(),
} satisfies Members<ResendPosition>);

const ResendItem = z.object({
  companyId: z.string(),
  id: z.string(),
  createdFrom: z.string(),
  sentCount: z.int(),
  heldCount: z.int(),
  position: PositionShape.exactOptional(),
  requestId: z.string(),
  createdAt: z.string(),
  completedAt: z.string().exactOptional(),
  version: z.int(),
} satisfies Members<DeliveryResend>);

/** A new resend. The sweep goes on with it until it is completed. */
export function resendInsert(resend: DeliveryResend): Put {
  const dueAt = plusSeconds(resend.createdAt, indexSettlesSeconds);
  return { put: resendItem(resend, dueAt), when: { is: 'absent' } };
}

/**
 * The next state, if the resend still is as the decision found it (one version lower). Due at once while more is left.
 */
export function resendUpdate(next: DeliveryResend, at: Instant): Put {
  return { put: resendItem(next, at), when: { equals: { version: next.version - 1 } } };
}

/** One read. @throws CorruptItem */
export async function readResend(store: Store, companyId: string, id: string): Promise<DeliveryResend | undefined> {
  const [item] = await store.read([keys.deliveryResend(companyId, id)]);
  return item && parseItem(ResendItem, item, 'delivery resend');
}

function resendItem(resend: DeliveryResend, dueAt: Instant): Item {
  const { companyId, id, createdAt, position } = resend;
  return {
    ...keys.deliveryResend(companyId, id),
    entity: 'DELIVERY_RESEND',
    ...resend,
    ...(position !== undefined && dueAttributesAt(companyId, 'DELIVERY_RESEND', dueAt, id)),
    expiresAt: epochSeconds(createdAt) + keptSeconds,
  };
}

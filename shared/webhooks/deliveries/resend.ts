import type { Instant } from '#shared/core/brasilia-time.ts';
import { epochSeconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { dueAttributesAt, keys } from '#shared/platform/table/keys.ts';
import type { Members } from '#shared/platform/table/parse.ts';
import { parseItem } from '#shared/platform/table/parse.ts';
import type { Item, Put, Store } from '#shared/platform/table/store.ts';
import * as z from 'zod';

/** In this order: a held delivery that is released meanwhile may fail, and must not be met again. */
const resentStatuses = ['FAILED', 'HELD'] as const;
type ResentStatus = (typeof resentStatuses)[number];

/** How far a resend has come: behind this entry of the list of a status; at its beginning where there is none. */
export type ResendPosition = {
  readonly status: ResentStatus;
  readonly behind?: { readonly sort: string; readonly id: string };
};

/** A partner's request to send again whatever was not delivered since a time, and what became of it so far. */
export type DeliveryResend = {
  readonly companyId: string;
  readonly id: string;
  /** Deliveries from this moment on, and before `createdAt`: what fails later is not part of it. */
  readonly createdFrom: Instant;
  /** Deliveries that were sent again. */
  readonly sentCount: number;
  /** Deliveries that stay `HELD`, because nothing could be sent to their endpoint either. */
  readonly heldCount: number;
  /** Absent once everything was looked at. */
  readonly position?: ResendPosition;
  /** Of the request: what is sent again carries it on. */
  readonly requestId: string;
  readonly createdAt: Instant;
  readonly completedAt?: Instant;
  /** Raised by every write. */
  readonly version: number;
};

/** A resend as it begins. */
export function newResend({
  companyId,
  id,
  createdFrom,
  requestId,
  createdAt,
}: Pick<DeliveryResend, 'companyId' | 'id' | 'createdFrom' | 'requestId' | 'createdAt'>): DeliveryResend {
  const begun = { sentCount: 0, heldCount: 0, position: { status: 'FAILED' }, version: 1 } as const;
  return { companyId, id, createdFrom, requestId, createdAt, ...begun };
}

/** What one page of a list came to. `behind`: its last entry, where more follow. */
type ResentPage = {
  readonly sent: number;
  readonly held: number;
  readonly behind: ResendPosition['behind'];
};

/** The resend after a page of the list at its position: further in that list, in the next one, or at the end of all. */
export function advanceResend(
  resend: DeliveryResend & { readonly position: ResendPosition },
  { sent, held, behind }: ResentPage,
  now: Instant,
): DeliveryResend {
  const { position, ...rest } = resend;
  const counted = {
    ...rest,
    sentCount: rest.sentCount + sent,
    heldCount: rest.heldCount + held,
    version: rest.version + 1,
  };
  if (behind !== undefined) return { ...counted, position: { status: position.status, behind } };
  const next = resentStatuses[resentStatuses.indexOf(position.status) + 1];
  return next === undefined ? { ...counted, completedAt: now } : { ...counted, position: { status: next } };
}

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

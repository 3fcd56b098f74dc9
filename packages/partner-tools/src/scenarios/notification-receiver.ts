import * as z from 'zod';
import { GetDelivery } from '#functions/webhooks/get-delivery/contract.ts';
import { ListDeliveries } from '#functions/webhooks/list-deliveries/contract.ts';
import type { Partner } from '../api/client.ts';
import {
  ChargeCancellationNotification,
  CreditNotification,
  CreditReturnNotification,
  DisputeNotification,
  PayInNotification,
  PayoutNotification,
  RefundNotification,
  ScheduledPaymentNotification,
  SubscriptionNotification,
} from '#shared/webhooks/notification.ts';
import { readBody } from '../api/growth.ts';
import { ToolFailure } from '../failures.ts';
import { poll } from '../poll.ts';
import type { Inbox, Notification } from '../receiver/receiver.ts';
import { isTaken } from '../receiver/receiver.ts';
import { signatureErrors } from '../receiver/signatures.ts';

/** A notification that was acknowledged. */
export type ReceivedNotification = {
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Each call with its status; `null` without a response. */
  readonly attempts: readonly { readonly at: number; readonly status: number | null }[];
  /** The calls themselves; empty for the partner's own receiver. */
  readonly calls: readonly Notification[];
};

/** Receives the partner's notifications for a scenario. */
export type NotificationReceiver = {
  readonly url: string;
  /** The tool's own receiver, whose replies a scenario sets; absent for the partner's own receiver. */
  readonly inbox?: Inbox;
  /** Secrets that have signed since the scenario began, the current one last. */
  readonly secrets: string[];
  /** Waits for a notification, checks it and counts it once. @throws ToolFailure for an invalid or missing one. */
  readonly receive: (event: string, id: string) => Promise<ReceivedNotification>;
  /** Expects a resend of a notification: its calls from now on count again. */
  readonly awaitAgain: (webhookId: string) => void;
  /** Notifications about these resources that no step expected. */
  readonly unexpected: (ids: readonly string[]) => Promise<readonly string[]>;
};

/** Time limit of a wait: all attempts of a local environment are over earlier. */
const withinMs = 60_000;
const lookEveryMs = 250;
const seeLog = 'GET /order/v1/webhook/deliveries?resourceId=… shows every attempt and its error.';

/**
 * Receives at the tool's own receiver. The signatures of each call are verified, and its bytes must equal those of the
 * first call.
 */
export function receiveAtInbox(inbox: Inbox, secret: string): NotificationReceiver {
  /** Last counted call by `webhook-id`; `Infinity`: all, until a resend is awaited. */
  const counted = new Map<string, number>();
  const secrets = [secret];
  const isNew = ({ id, call }: Notification): boolean => call > (counted.get(id) ?? 0);
  const isUncounted = (notification: Notification, resources: readonly string[]): boolean =>
    isNew(notification) && resources.includes(subjectOf(notification.body).resource ?? '');
  return {
    url: inbox.url,
    inbox,
    secrets,
    receive: async (event, id) => {
      const taken = (notification: Notification): boolean =>
        isUncounted(notification, [id]) && subjectOf(notification.body).event === event && isTaken(notification.reply);
      const [found] = await inbox.until(taken, 1, withinMs).catch((error: unknown) => {
        throw new ToolFailure(`${event} did not arrive: ${error instanceof Error ? error.message : ''}`, seeLog);
      });
      const calls = inbox.received.filter((notification) => notification.id === found?.id && isNew(notification));
      if (found !== undefined) counted.set(found.id, Infinity);
      const attempts = calls.map(({ at, reply }) => ({ at, status: reply.kind === 'status' ? reply.status : 200 }));
      for (const call of calls) verify(call, calls[0]?.raw, secrets);
      return { id: found?.id ?? '', body: bodyOf(event, found?.body), attempts, calls };
    },
    awaitAgain: (id) => {
      counted.set(id, inbox.received.filter((notification) => notification.id === id).length);
    },
    unexpected: (ids) =>
      Promise.resolve([
        ...new Set(
          inbox.received
            .filter((notification) => isUncounted(notification, ids))
            .map(({ id, body }) => `${subjectOf(body).event ?? '?'} (${id})`),
        ),
      ]),
  };
}

/**
 * Receives by the delivery log. The partner's own receiver gets the notifications and verifies their signatures itself.
 */
export function receiveByLog(partner: Partner, url: string): NotificationReceiver {
  const counted = new Set<string>();
  const listed = async (id: string) =>
    (await partner.call(ListDeliveries, { query: { resourceId: id, limit: '100' } })).body.data;
  return {
    url,
    secrets: [partner.webhookSecret],
    receive: async (event, resource) => {
      const read = async () =>
        (await listed(resource)).findLast((delivery) => delivery.event === event && !counted.has(delivery.id));
      const isOver = (delivery: Awaited<ReturnType<typeof read>>) =>
        delivery !== undefined && delivery.status !== 'PENDING';
      const entry = await poll(read, isOver, withinMs, lookEveryMs);
      if (entry?.status !== 'DELIVERED')
        throw new ToolFailure(
          `${event} is not delivered to ${url}: it is ${entry?.status ?? 'not in the delivery log'}.`,
          seeLog,
        );
      counted.add(entry.id);
      const { payload, attempts } = (await partner.call(GetDelivery, { params: { id: entry.id } })).body;
      const recorded = attempts.map(({ at, httpStatus }) => ({ at: Date.parse(at), status: httpStatus }));
      return { id: entry.id, body: bodyOf(event, payload), attempts: recorded, calls: [] };
    },
    // The log has a resend as a delivery of its own.
    awaitAgain: () => undefined,
    unexpected: async (ids) =>
      (await Promise.all(ids.map(listed)))
        .flat()
        .filter(({ id }) => !counted.has(id))
        .map(({ id, event }) => `${event} (${id})`),
  };
}

function verify(call: Notification, first: Buffer | undefined, secrets: readonly string[]): void {
  const errors = secrets.map((secret) => signatureErrors(call, secret));
  if (!errors.some((list) => list.length === 0))
    throw new ToolFailure(
      `An attempt is not signed in both ways: ${errors.flat().join('; ')}.`,
      'Check that the sandbox file has the current webhook secret: a rotation shows the new one only once.',
    );
  if (first !== undefined && !call.raw.equals(first))
    throw new ToolFailure(`Attempt ${call.call} of ${call.id} has other bytes than the first attempt.`, seeLog);
}

const layouts = [
  PayInNotification,
  RefundNotification,
  PayoutNotification,
  SubscriptionNotification,
  ScheduledPaymentNotification,
  ChargeCancellationNotification,
  CreditNotification,
  CreditReturnNotification,
  DisputeNotification,
];

/** Returns the documented layout of an event; all layouts are objects. @throws Error for an unknown event. */
export function schemaOf(event: string): z.ZodType<Readonly<Record<string, unknown>>> {
  const found = layouts.find(({ shape }) => shape.event.options.some((candidate) => candidate === event));
  if (found === undefined) throw new Error(`There is no event ${event}.`);
  return found;
}

/** Returns a body that has the layout of its event. @throws ToolFailure for any other body. */
function bodyOf(event: string, body: unknown): ReceivedNotification['body'] {
  const read = readBody(schemaOf(event), body, 'OPEN');
  if (read.success) return body as ReceivedNotification['body'];
  throw new ToolFailure(`${event} does not have the documented layout: ${z.prettifyError(read.error)}`, seeLog);
}

const EventAndResource = z.object({
  event: z.string().optional(),
  id: z.string().optional(),
  data: z.object({ id: z.string().optional(), credit: z.object({ id: z.string().optional() }).optional() }).optional(),
});

/** The event of a notification and its resource: `id`, `data.id`, or `data.credit.id`. */
function subjectOf(body: unknown): { readonly event?: string | undefined; readonly resource?: string | undefined } {
  const { event, id, data } = EventAndResource.safeParse(body).data ?? {};
  return { event, resource: id ?? data?.id ?? data?.credit?.id };
}

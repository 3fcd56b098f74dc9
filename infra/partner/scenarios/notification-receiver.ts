import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { GetDelivery } from '#functions/webhooks/get-delivery/contract.ts';
import { ListDeliveries } from '#functions/webhooks/list-deliveries/contract.ts';
import {
  ChargeCancellationNotification,
  PayInNotification,
  PayoutNotification,
  RefundNotification,
  ScheduledPaymentNotification,
  SubscriptionNotification,
} from '#shared/webhooks/notification.ts';
import type { Partner } from '../api/client.ts';
import { ToolFailure } from '../command-line.ts';
import type { Inbox, Notification } from '../receiver/receiver.ts';
import { isTaken } from '../receiver/receiver.ts';
import { signatureFaults } from '../receiver/signatures.ts';

/** A notification as it was taken in the end. */
export type Heard = {
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Each call, with the status that it was answered with; what is `null` brought no answer. */
  readonly attempts: readonly { readonly at: number; readonly status: number | null }[];
  /** The calls themselves, where they came to the tool's own receiver. */
  readonly calls: readonly Notification[];
};

/** How a story learns what a partner was told. */
export type Hearing = {
  /** Where notifications go. */
  readonly url: string;
  /** Answers as it is told to; absent where the receiver is the partner's own. */
  readonly inbox?: Inbox;
  /** Secrets that have signed since the story began, the present one last. */
  readonly secrets: string[];
  /**
   * Waits until a notification was taken, checks it, and counts it as told. Each counts once.
   * @throws ToolFailure that says what is wrong with it, or what came instead.
   */
  readonly hear: (event: string, id: string) => Promise<Heard>;
  /** What was told about these resources although no step expected it. */
  readonly surplus: (ids: readonly string[]) => Promise<readonly string[]>;
};

/** As long as all attempts of a local environment take, and some more. */
const withinMs = 60_000;
const lookEveryMs = 250;
const seeLog = 'GET /order/v1/webhook/deliveries?resourceId=… shows every attempt and why it failed.';

/** Hears at the tool's own receiver: every call is verified, and all calls of a notification carry the same bytes. */
export function hearAtReceiver(inbox: Inbox, secret: string): Hearing {
  const told = new Set<string>();
  const secrets = [secret];
  const fits = (event: string, id: string) => (one: Notification) =>
    !told.has(one.id) && eventOf(one.body) === event && resourceOf(one.body) === id;
  return {
    url: inbox.url,
    inbox,
    secrets,
    hear: async (event, id) => {
      const taken = (one: Notification): boolean => fits(event, id)(one) && isTaken(one.reply);
      const [found] = await inbox.until(taken, 1, withinMs).catch((error: unknown) => {
        throw new ToolFailure(`${event} did not arrive: ${error instanceof Error ? error.message : ''}`, seeLog);
      });
      const calls = inbox.received.filter((one) => one.id === found?.id);
      if (found !== undefined) told.add(found.id);
      const attempts = calls.map(({ at, reply }) => ({ at, status: reply.kind === 'status' ? reply.status : 200 }));
      for (const call of calls) verify(call, calls[0]?.raw, secrets);
      return { id: found?.id ?? '', body: bodyOf(event, found?.body), attempts, calls };
    },
    surplus: (ids) =>
      Promise.resolve([
        ...new Set(
          inbox.received
            .filter(({ id, body }) => !told.has(id) && ids.includes(resourceOf(body) ?? ''))
            .map(({ id, body }) => `${eventOf(body) ?? '?'} (${id})`),
        ),
      ]),
  };
}

/** Hears by the delivery log, where the receiver is the partner's own: it has verified what it acknowledged. */
export function hearByLog(partner: Partner, url: string): Hearing {
  const told = new Set<string>();
  const listed = async (id: string) =>
    (await partner.call(ListDeliveries, { query: { resourceId: id, limit: '100' } })).body.data;
  return {
    url,
    secrets: [partner.webhookSecret],
    hear: async (event, resource) => {
      const deadline = Date.now() + withinMs;
      for (;;) {
        const entry = (await listed(resource)).findLast((one) => one.event === event && !told.has(one.id));
        if (entry?.status === 'DELIVERED') {
          told.add(entry.id);
          const { payload, attempts } = (await partner.call(GetDelivery, { params: { id: entry.id } })).body;
          const made = attempts.map(({ at, httpStatus }) => ({ at: Date.parse(at), status: httpStatus }));
          return { id: entry.id, body: bodyOf(event, payload), attempts: made, calls: [] };
        }
        if (entry?.status === 'FAILED' || entry?.status === 'HELD' || Date.now() > deadline)
          throw new ToolFailure(`${event} is not delivered to ${url}: it is ${entry?.status ?? 'not there'}.`, seeLog);
        await sleep(lookEveryMs);
      }
    },
    surplus: async (ids) =>
      (await Promise.all(ids.map(listed)))
        .flat()
        .filter(({ id }) => !told.has(id))
        .map(({ id, event }) => `${event} (${id})`),
  };
}

function verify(call: Notification, first: Buffer | undefined, secrets: readonly string[]): void {
  const faults = secrets.map((secret) => signatureFaults(call, secret));
  if (!faults.some((none) => none.length === 0))
    throw new ToolFailure(
      `every attempt is signed in both ways: this does not hold. ${faults.flat().join('; ')}`,
      'Is the secret in the sandbox file the present one? A rotation since then shows the new one only once.',
    );
  if (first !== undefined && !call.raw.equals(first))
    throw new ToolFailure(`Attempt ${call.call} of ${call.id} carries other bytes than the first one.`, seeLog);
}

/** The body by the layout that is promised for its event. */
function bodyOf(event: string, body: unknown): Heard['body'] {
  const read = schemaOf(event).safeParse(body);
  if (read.success) return body as Heard['body'];
  throw new ToolFailure(`${event} has not the promised layout: ${z.prettifyError(read.error)}`, seeLog);
}

const Told = z.object({
  event: z.string().optional(),
  id: z.string().optional(),
  data: z.object({ id: z.string().optional() }).optional(),
});

function eventOf(body: unknown): string | undefined {
  return Told.safeParse(body).data?.event;
}

/** The resource that a notification tells of: `id`, or `data.id`. */
function resourceOf(body: unknown): string | undefined {
  const { id, data } = Told.safeParse(body).data ?? {};
  return id ?? data?.id;
}

const layouts = [
  PayInNotification,
  RefundNotification,
  PayoutNotification,
  SubscriptionNotification,
  ScheduledPaymentNotification,
  ChargeCancellationNotification,
];

/** The layout that is promised for an event; all are objects. @throws Error for an event that none has. */
export function schemaOf(event: string): z.ZodType<Readonly<Record<string, unknown>>> {
  const found = layouts.find(({ shape }) => shape.event.options.some((one) => one === event));
  if (found === undefined) throw new Error(`There is no event ${event}.`);
  return found;
}

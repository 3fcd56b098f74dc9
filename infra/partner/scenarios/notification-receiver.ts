import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { GetDelivery } from '#functions/webhooks/get-delivery/contract.ts';
import { ListDeliveries } from '#functions/webhooks/list-deliveries/contract.ts';
import type { Partner } from '../api/client.ts';
import { ToolFailure } from '../command-line.ts';
import type { Inbox, Notification } from '../receiver/receiver.ts';
import { isTaken } from '../receiver/receiver.ts';
import { signatureFaults } from '../receiver/signatures.ts';
import { schemaOf } from './notification-schema.ts';

/** A notification that was acknowledged. */
export type ReceivedNotification = {
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Each call, with the status that it was answered with; what is `null` brought no answer. */
  readonly attempts: readonly { readonly at: number; readonly status: number | null }[];
  /** The calls themselves, where they came to the tool's own receiver. */
  readonly calls: readonly Notification[];
};

/** Where a scenario waits for the notifications that a partner gets. */
export type NotificationReceiver = {
  /** Where notifications go. */
  readonly url: string;
  /** Answers as a scenario says; absent where the receiver is the partner's own. */
  readonly inbox?: Inbox;
  /** Secrets that have signed since the scenario began, the present one last. */
  readonly secrets: string[];
  /**
   * Waits until a notification was taken, checks it, and counts it: each counts once.
   * @throws ToolFailure that says what is wrong with it, or what came instead.
   */
  readonly receive: (event: string, id: string) => Promise<ReceivedNotification>;
  /** What came about these resources although no step expected it. */
  readonly unexpected: (ids: readonly string[]) => Promise<readonly string[]>;
};

/** Longer than all attempts of a local environment take. */
const withinMs = 60_000;
const lookEveryMs = 250;
const seeLog = 'GET /order/v1/webhook/deliveries?resourceId=… shows every attempt and why it failed.';

/** Receives at the tool's own receiver: every call is verified, and each carries the bytes of the first. */
export function receiveAtInbox(inbox: Inbox, secret: string): NotificationReceiver {
  const counted = new Set<string>();
  const secrets = [secret];
  const fits = (event: string, id: string) => (one: Notification) =>
    !counted.has(one.id) && eventOf(one.body) === event && resourceOf(one.body) === id;
  return {
    url: inbox.url,
    inbox,
    secrets,
    receive: async (event, id) => {
      const taken = (one: Notification): boolean => fits(event, id)(one) && isTaken(one.reply);
      const [found] = await inbox.until(taken, 1, withinMs).catch((error: unknown) => {
        throw new ToolFailure(`${event} did not arrive: ${error instanceof Error ? error.message : ''}`, seeLog);
      });
      const calls = inbox.received.filter((one) => one.id === found?.id);
      if (found !== undefined) counted.add(found.id);
      const attempts = calls.map(({ at, reply }) => ({ at, status: reply.kind === 'status' ? reply.status : 200 }));
      for (const call of calls) verify(call, calls[0]?.raw, secrets);
      return { id: found?.id ?? '', body: bodyOf(event, found?.body), attempts, calls };
    },
    unexpected: (ids) =>
      Promise.resolve([
        ...new Set(
          inbox.received
            .filter(({ id, body }) => !counted.has(id) && ids.includes(resourceOf(body) ?? ''))
            .map(({ id, body }) => `${eventOf(body) ?? '?'} (${id})`),
        ),
      ]),
  };
}

/** Reads the delivery log where the receiver is the partner's own, which has verified what it acknowledged. */
export function receiveByLog(partner: Partner, url: string): NotificationReceiver {
  const counted = new Set<string>();
  const listed = async (id: string) =>
    (await partner.call(ListDeliveries, { query: { resourceId: id, limit: '100' } })).body.data;
  return {
    url,
    secrets: [partner.webhookSecret],
    receive: async (event, resource) => {
      const deadline = Date.now() + withinMs;
      for (;;) {
        const entry = (await listed(resource)).findLast((one) => one.event === event && !counted.has(one.id));
        if (entry?.status === 'DELIVERED') {
          counted.add(entry.id);
          const { payload, attempts } = (await partner.call(GetDelivery, { params: { id: entry.id } })).body;
          const made = attempts.map(({ at, httpStatus }) => ({ at: Date.parse(at), status: httpStatus }));
          return { id: entry.id, body: bodyOf(event, payload), attempts: made, calls: [] };
        }
        if (entry?.status === 'FAILED' || entry?.status === 'HELD' || Date.now() > deadline)
          throw new ToolFailure(`${event} is not delivered to ${url}: it is ${entry?.status ?? 'not there'}.`, seeLog);
        await sleep(lookEveryMs);
      }
    },
    unexpected: async (ids) =>
      (await Promise.all(ids.map(listed)))
        .flat()
        .filter(({ id }) => !counted.has(id))
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
function bodyOf(event: string, body: unknown): ReceivedNotification['body'] {
  const read = schemaOf(event).safeParse(body);
  if (read.success) return body as ReceivedNotification['body'];
  throw new ToolFailure(`${event} has not the promised layout: ${z.prettifyError(read.error)}`, seeLog);
}

const EventAndResource = z.object({
  event: z.string().optional(),
  id: z.string().optional(),
  data: z.object({ id: z.string().optional() }).optional(),
});

function eventOf(body: unknown): string | undefined {
  return EventAndResource.safeParse(body).data?.event;
}

/** The resource of a notification: `id`, or `data.id`. */
function resourceOf(body: unknown): string | undefined {
  const { id, data } = EventAndResource.safeParse(body).data ?? {};
  return id ?? data?.id;
}

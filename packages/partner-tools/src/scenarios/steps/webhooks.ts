import { randomUUID } from 'node:crypto';
import { ListDeliveries } from '#functions/webhooks/list-deliveries/contract.ts';
import { ResendDelivery } from '#functions/webhooks/resend-delivery/contract.ts';
import { RotateWebhookSecret } from '#functions/webhooks/rotate-secret/contract.ts';
import { ToolFailure } from '#partner-tools/failures.ts';
import { poll } from '#partner-tools/poll.ts';
import type { Reply } from '#partner-tools/receiver/receiver.ts';
import { hexMatches, standardErrors } from '#partner-tools/receiver/signatures.ts';
import type { Step, Context } from '../context.ts';
import { resourceOf } from '../context.ts';
import { receive } from './assertions.ts';

/**
 * Sets the receiver's replies: from now on the n-th call of each notification gets the n-th reply, later calls the last
 * one.
 */
export function receiverResponds(...replies: readonly Reply[]): Step {
  return ({ receiver, reporter }) => {
    receiver.inbox?.reply(...replies);
    const statuses = replies.map((reply) => (reply.kind === 'status' ? `${reply.status}` : '200'));
    reporter.fact('the receiver', `responds ${statuses.join(', then ')}`);
    return Promise.resolve();
  };
}

/** Waits until the receiver has refused a notification once. */
export function refusedOnce(event: string, about: string): Step {
  return async (context) => {
    const { id } = resourceOf(context, about);
    const fits = ({ body }: { readonly body: unknown }): boolean => {
      const { event: named, id: own } = (body ?? {}) as { event?: unknown; id?: unknown };
      return named === event && own === id;
    };
    await context.receiver.inbox?.until(fits);
    context.reporter.fact('attempt 1', 'was refused');
  };
}

/** Rotates the secret. For an hour the service also signs with the previous one. */
export function rotateSecret(): Step {
  return async ({ partner, receiver, reporter, keepSecret }) => {
    const { body } = await partner.call(RotateWebhookSecret, { key: randomUUID(), body: { overlapSeconds: 3600 } });
    receiver.secrets.push(body.secret);
    keepSecret(body.secret);
    reporter.fact('old secret until', body.previousSecretExpiresAt);
  };
}

/** Checks that the first attempt is signed with the old secret and the last one with both. */
export function signedWithBothSecrets(event: string, about: string): Step {
  return async (context) => {
    const { reporter, receiver } = context;
    const { calls } = await receive(context, event, about);
    const [old = '', current = ''] = receiver.secrets.slice(-2);
    const [first, last] = [calls[0], calls.at(-1)];
    if (first === undefined || last === undefined)
      throw new ToolFailure(`${event} was not sent to the receiver.`, 'The delivery log shows its attempts.');
    const header = (name: string): string => String(last.headers[name]);
    reporter.check(
      'the first attempt is signed with the old secret',
      standardErrors(first.raw, first.headers, old, first.at).length === 0,
    );
    reporter.check(
      'the last attempt is signed with the new secret',
      hexMatches(last.raw, header('x-signature-sha256'), current),
    );
    reporter.check(
      'the last attempt is also signed with the old secret',
      hexMatches(last.raw, header('x-signature-sha256-previous'), old),
    );
    const errors = [old, current].flatMap((secret) => standardErrors(last.raw, last.headers, secret, last.at));
    reporter.check('webhook-signature has both signatures', errors.length === 0, errors);
    reporter.check('both attempts have the same bytes', first.raw.equals(last.raw));
  };
}

/** Requests a resend of the latest notification: the same bytes under the same webhook-id. */
export function resend(event: string, about: string): Step {
  return async (context) => {
    const { partner, receiver, reporter } = context;
    const found = await latest(context, about, event);
    receiver.awaitAgain(found?.webhookId ?? '');
    const { body } = await partner.call(ResendDelivery, { params: { id: found?.id ?? '' } });
    reporter.check('the resend has the same webhook-id', body.webhookId === found?.webhookId, body.webhookId);
    reporter.fact('sent again', `${found?.id ?? '?'} as ${body.id}`);
  };
}

/** Compares the number of attempts of each event in the delivery log. */
export function logShows(about: string, expected: Readonly<Record<string, number>>): Step {
  return async (context) => {
    for (const [event, attempts] of Object.entries(expected)) {
      // The log records a response a moment later.
      const isDelivered = (delivery: Awaited<ReturnType<typeof latest>>): boolean => delivery?.status === 'DELIVERED';
      const entry = await poll(() => latest(context, about, event), isDelivered, recordedWithinMs);
      const found = isDelivered(entry) ? entry?.attemptsCount : (entry?.status ?? 'nothing');
      context.reporter.check(
        `the delivery log shows ${event} delivered at attempt ${attempts}`,
        found === attempts,
        found,
      );
    }
  };
}

const recordedWithinMs = 10_000;

/** The latest delivery of an event. */
async function latest(context: Context, about: string, event: string) {
  const query = { resourceId: resourceOf(context, about).id };
  const { data } = (await context.partner.call(ListDeliveries, { query })).body;
  return data.find((delivery) => delivery.event === event);
}

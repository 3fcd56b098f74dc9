import type { Delivery } from '../../../shared/domain/delivery.ts';
import type { Reception } from '../../../shared/domain/delivery-moves.ts';
import { receive, release } from '../../../shared/domain/delivery-moves.ts';
import { validSecrets } from '../../../shared/domain/webhook-secret.ts';
import { addressOf } from '../../../shared/domain/webhook-settings.ts';
import { signatureHeaders } from '../../../shared/notifications/signature.ts';
import type { AttemptFacts } from '../../../shared/persistence/deliveries.ts';
import { readForAttempt, writeDelivery, writeSending } from '../../../shared/persistence/deliveries.ts';
import { CorruptItem } from '../../../shared/persistence/store.ts';
import { readWebhookSettings } from '../../../shared/persistence/webhook-settings.ts';
import type { DeliverDeps, ReceivedMessage } from './deliver-deps.ts';
import { recordCall } from './record-call.ts';
import type { Verdict } from './verdict.ts';
import { acknowledge, returnAt, soon } from './verdict.ts';

const maxDecisions = 4;

/**
 * One received message: at most one call of the partner. Claim → call → record: nothing is called without a claim in the
 * table, so that a worker that dies leaves a trace of its attempt.
 *
 * @throws StoreUnavailable, CorruptItem: the message comes again by itself
 */
export async function deliver(message: ReceivedMessage, deps: DeliverDeps): Promise<Verdict> {
  for (let decisions = 0; decisions < maxDecisions; decisions += 1) {
    const facts = await readForAttempt(deps.store, message.companyId, message.deliveryId);
    const { delivery } = facts;
    if (delivery === undefined) {
      deps.report({ kind: 'passed-over', message, because: 'absent' });
      return acknowledge;
    }
    const now = deps.now();
    const endpoint = addressOf(delivery.target, facts.settings ?? { events: [] });
    const reception = receive(delivery, message, { now, claimId: deps.newId(), endpoint });
    const verdict = await follow(reception, { ...facts, delivery }, message, deps);
    if (verdict !== 'changed meanwhile') return verdict;
  }
  return soon;
}

/** Carries out one decision; another one is due when the delivery changed between reading and writing. */
async function follow(
  reception: Reception,
  facts: AttemptFacts & { readonly delivery: Delivery },
  message: ReceivedMessage,
  deps: DeliverDeps,
): Promise<Verdict | 'changed meanwhile'> {
  const { store } = deps;
  switch (reception.do) {
    case 'acknowledge':
      deps.report({ kind: 'passed-over', message, because: reception.because });
      return acknowledge;
    case 'dead-letter':
      return soon;
    case 'wait':
      return returnAt(reception.until, deps.now());
    case 'renew': {
      const { delivery, notBefore } = reception;
      const renewed = await writeSending(store, { delivery, notBefore, at: deps.now(), token: deps.newId() });
      return renewed.ok ? acknowledge : 'changed meanwhile';
    }
    case 'hold': {
      if (!(await writeDelivery(store, reception.delivery)).ok) return 'changed meanwhile';
      deps.report({ kind: 'held', delivery: reception.delivery });
      await releaseIfActivated(reception.delivery, deps);
      return acknowledge;
    }
    case 'give-up': {
      if (!(await writeDelivery(store, reception.delivery)).ok) return 'changed meanwhile';
      deps.report({ kind: 'given-up', delivery: reception.delivery });
      return soon;
    }
    case 'call':
      return call(reception, facts, message, deps);
  }
}

async function call(
  { delivery, claim, endpoint }: Extract<Reception, { do: 'call' }>,
  { body, secret }: AttemptFacts,
  message: ReceivedMessage,
  deps: DeliverDeps,
): Promise<Verdict | 'changed meanwhile'> {
  if (body === undefined || secret === undefined)
    throw new CorruptItem('A delivery has no body, or its company no secret.');
  const claimed = await writeDelivery(deps.store, delivery);
  // The write may have been repeated after its answer was lost: then it is its own claim that stands in its way.
  if (!claimed.ok && claimed.present?.claim?.id !== claim.id) return 'changed meanwhile';
  if (claim.number === 1) deps.report({ kind: 'first-call', delivery });
  const { id } = delivery;
  const signature = signatureHeaders({ id, at: claim.at, body, secrets: validSecrets(secret, claim.at) });
  const result = await deps.send({
    endpoint,
    body,
    headers: { ...fixedHeaders, ...signature, 'x-request-id': delivery.requestId },
  });
  return recordCall({ delivery, message, result }, deps);
}

const fixedHeaders = {
  'content-type': 'application/json; charset=utf-8',
  accept: 'application/json',
  'user-agent': 'banking-order-service-webhooks/1',
} as const;

/** The endpoint may have become active after the settings were read and before this was held: nobody else would look. */
async function releaseIfActivated(held: Delivery, { store, now, newId }: DeliverDeps): Promise<void> {
  const settings = await readWebhookSettings(store, held.companyId);
  if (addressOf(held.target, settings) === undefined) return;
  const at = now();
  const delivery = release(held, at);
  if (delivery !== undefined) await writeSending(store, { delivery, notBefore: at, at, token: newId() });
}

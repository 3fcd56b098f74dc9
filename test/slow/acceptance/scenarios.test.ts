import { beforeAll, expect, test } from 'vitest';
import { ConfirmKey } from '#functions/pix-keys/confirm/contract.ts';
import { GetDelivery } from '#functions/webhooks/get-delivery/contract.ts';
import { RotateWebhookSecret } from '#functions/webhooks/rotate-secret/contract.ts';
import type {
  CreatedResource,
  Partner,
  ReceivedNotification,
  NotificationReceiver,
} from '@banking-order/partner-tools';
import {
  compareNotification,
  receiveAtInbox,
  receiveByLog,
  runScenario,
  scenarios,
  createReporter,
} from '@banking-order/partner-tools';
import { aboutOf, altered, fieldsOf } from '#test/acceptance/lies.ts';
import { activeAccount, second, useReceiver } from '#test/acceptance/partners.ts';

const inbox = useReceiver();
const { id: accountId } = activeAccount(second);
let secret = '';
beforeAll(async () => {
  ({ secret } = (await second.call(RotateWebhookSecret, { body: { overlapSeconds: 0 } })).body);
});

type Run = {
  readonly byLog?: boolean;
  /** What a scenario gets in the place of what was sent. */
  readonly instead?: (
    event: string,
    received: ReceivedNotification,
  ) => ReceivedNotification | Promise<ReceivedNotification>;
  readonly partner?: Partner;
};

/** Runs a scenario; gives its lines. */
async function linesOf(name: string, { byLog = false, instead, partner = second }: Run = {}): Promise<string> {
  const lines: string[] = [];
  const scenario = scenarios.find((one) => one.name === name)!;
  const own = inbox(name);
  const keepSecret = (currentSecret: string): void => {
    secret = currentSecret;
  };
  const baseReceiver = byLog ? receiveByLog(second, own.url) : receiveAtInbox(own, secret);
  const receive: NotificationReceiver['receive'] = async (event, id) => {
    const one = await baseReceiver.receive(event, id);
    return instead?.(event, one) ?? one;
  };
  const reporter = createReporter((line) => lines.push(line));
  await runScenario(scenario, { partner, accountId, receiver: { ...baseReceiver, receive }, reporter, keepSecret });
  return lines.join('\n');
}

/** A partner that caches equal reads, and whose delivery log may return an altered notification. */
function remembering(known: Map<string, unknown>, payload?: ReceivedNotification['body']): Partner {
  return {
    ...second,
    call: async (contract, ask) => {
      const name = `${contract.operationId} ${JSON.stringify(ask)}`;
      if (!known.has(name)) known.set(name, await second.call(contract, ask));
      const response = known.get(name) as Awaited<ReturnType<typeof second.call<typeof contract>>>;
      const isLog = payload !== undefined && contract.operationId === GetDelivery.operationId;
      return isLog ? { ...response, body: { ...(response.body as object), payload } } : response;
    },
  };
}

/**
 * What no record of the API shows: messages for a log, the other side as its bank knows it, and whether the bank had
 * given its end-to-end id when the first notification of a payment was sent.
 */
const nowhereElse =
  /: (message|customerMessage|payer\.bank\..*|receiver\.(bank\..*|pix\.type))$|REFUNDED: endToEndId$|PAYMENT\.PENDING: data\.endToEndId$/u;
/** When a partner was reminded of a dispute: its record does not show it. */
const timeOfReminder = 'DISPUTE.DUE_SOON: occurredAt';
/** The times of a refund of a part: lists of refunds say when each was created, and the pay-in is not refunded yet. */
const timesOfPart = /REFUNDED: (refundedAt|updatedAt)$/u;

/** The time of an assignment: the record of a pay-in says when its payment came, and not when it was assigned. */
const timeOfAssignment = 'PAYIN.PAID: updatedAt';

/** What a true notification is about: of a credit it is in `data`, or in `data.credit`, of a dispute in `data`. */
function subjectOf(event: string, body: ReceivedNotification['body']): CreatedResource {
  const isOfDispute = event.startsWith('DISPUTE.');
  if (!isOfDispute && !event.startsWith('CREDIT.')) return aboutOf(event, body);
  const { id, credit } = body['data'] as { readonly id?: string; readonly credit?: { readonly id: string } };
  return { kind: isOfDispute ? 'dispute' : 'credit', id: credit?.id ?? id ?? '' };
}

/** Alters each field of a notification in turn; gives those whose lie is believed, beside what no record shows. */
async function believed(event: string, received: ReceivedNotification): Promise<readonly string[]> {
  const about = subjectOf(event, received.body);
  const known = new Map<string, unknown>();
  const partner = remembering(known);
  await compareNotification({ partner, accountId }, event, about, received);
  const isShown = (field: string): boolean =>
    !nowhereElse.test(field) &&
    field !== timeOfReminder &&
    !('orderStatus' in received.body && timesOfPart.test(field)) &&
    !(received.body['updatedAt'] !== received.body['paidAt'] && field.endsWith(timeOfAssignment));
  const lies = fieldsOf(received.body).flatMap((path) => altered(received.body, path).map((body) => ({ path, body })));
  const found: string[] = [];
  for (const { path, body } of lies) {
    const isTaken = (to: Partner): Promise<boolean> =>
      compareNotification({ partner: to, accountId }, event, about, { ...received, body }).then(
        () => true,
        () => false,
      );
    const field = `${event}: ${path.join('.')}`;
    if (await isTaken(partner)) found.push(field);
    // And where the log of deliveries tells the same lie.
    const fooled = remembering(known, body);
    if (isShown(field) && (await isTaken(fooled))) found.push(`${field}, and the log`);
  }
  expect(lies.length).toBeGreaterThan(15);
  return found;
}

test.each(scenarios.map(({ name }) => name))(
  'the scenario %s passes, and detects every altered field of a notification',
  async (name) => {
    const found: string[] = [];
    const instead = async (event: string, received: ReceivedNotification): Promise<ReceivedNotification> => {
      found.push(...(await believed(event, received)));
      return received;
    };
    expect(await linesOf(name, { instead })).toContain('✔ each notification was received once, and no other one');
    expect(found).toEqual([]);
  },
);

test('a scenario reads the delivery log where the receiver is the partner’s own', async () => {
  const lines = await linesOf('payout-lost-reply', { byLog: true });
  expect(lines).toContain('✔ ORDER-PAYOUT.PAID was received with valid signatures and layout');
  expect(lines).toContain('✔ each notification was received once, and no other one');
});

type Lie = readonly [what: string, scenario: string, event: string, path: string, value: unknown, found: string];
test.each<Lie>([
  ['another amount', 'journey-2-three-months', 'ORDER-PAYIN.PAID', 'amount.value', '4.99', 'amount.value is "4.99"'],
  ['no subscription', 'journey-3-with-refund', 'ORDER-PAYIN.PAID', 'subscription', undefined, 'subscription is absent'],
  [
    '3 as the number of the first resend',
    'settlement-error-until-21h',
    'SUBSCRIPTION.SCHEDULED_PAYMENT.PENDING',
    'data.settlementErrorRetryAttempt',
    3,
    'data.settlementErrorRetryAttempt is 3',
  ],
  [
    'a wrong count of pending payments',
    'payout-batch-partly-paid',
    'ORDER-PAYOUT.ERROR',
    'batch.pendingCount',
    1,
    'batch.pendingCount is 1 in the notification and 0 in the API',
  ],
  [
    'ERROR as the status of a PAID payout',
    'payout-lost-reply',
    'ORDER-PAYOUT.PAID',
    'status',
    'ERROR',
    'status is "ERROR"',
  ],
  [
    'another reason of a credit',
    'unexpected-money',
    'CREDIT.RECEIVED',
    'data.reason',
    'TOO_LATE',
    'data.reason is "TOO_LATE" in the notification and "NO_CHARGE" in the API',
  ],
  [
    'PENDING as the status of a settled return',
    'unexpected-money',
    'CREDIT.RETURNED',
    'data.return.status',
    'PENDING',
    'data.return.status is "PENDING" in the notification and "SETTLED" in the API',
  ],
])('a scenario fails when its notification has %s', async (_what, scenario, event, path, value, problem) => {
  const instead = (receivedEvent: string, received: ReceivedNotification): ReceivedNotification => {
    const body = structuredClone(received.body);
    const [last = '', ...parents] = path.split('.').toReversed();
    const holder = parents.reduceRight<unknown>((inner, key) => (inner as Record<string, unknown>)[key], body);
    const isAltered =
      receivedEvent === event && (last !== 'settlementErrorRetryAttempt' || Object.hasOwn(holder as object, last));
    if (isAltered) (holder as Record<string, unknown>)[last] = value;
    return { ...received, body };
  };
  await expect(linesOf(scenario, { instead })).rejects.toThrow(`${event}: ${problem}`);
});

test.each([
  ['confirmPixKey', 'Check failed: the confirmation names the key'],
  ['listPixKeys', /Check failed: \+\d+ is a key of the account/u],
])('a scenario fails when the response of %s has another PIX key', async (operation, problem) => {
  const call: Partner['call'] = async (contract, ask) => {
    const response = await second.call(contract, ask);
    if (contract.operationId !== operation) return response;
    const lie = JSON.stringify(response.body).replaceAll(/\+55119\d{8}/gu, '+5511900000000');
    return { ...response, body: JSON.parse(lie) as typeof response.body };
  };
  expect(ConfirmKey.operationId).toBe('confirmPixKey');
  await expect(linesOf('pix-key-by-phone', { partner: { ...second, call } })).rejects.toThrow(problem);
});

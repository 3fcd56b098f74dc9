import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { GetPayout } from '#functions/payouts/get/contract.ts';
import { ListPayouts } from '#functions/payouts/list/contract.ts';
import type { Contract } from '#shared/contract/contract.ts';
import type { AnyRequest, Partner, Inbox } from '@banking-order/partner-tools';
import { jsonOf, poll } from '@banking-order/partner-tools';

/** What a partner sees while the release changes. */
type Seen = {
  readonly payouts: number;
  /** Requests that were on their way for three seconds. */
  readonly held: number;
  /** Requests that were repeated, by what happened: a status, or the error of the connection. */
  readonly repeated: Readonly<Record<string, number>>;
};

const anyPause = 100;
const repeatWithinMs = 90_000;

/**
 * Pays through the API until `end`, one payout after the other, each with its bank's callback; every second request is
 * held for three seconds. What fails is repeated with its key, as a partner does.
 * @throws Error when a payout is lost or doubled, or has not exactly one notification.
 */
export async function payUntil(partner: Partner, inbox: Inbox, end: AbortSignal): Promise<Seen> {
  const accountId = partner.accounts.find(({ status }) => status === 'ACTIVE')?.id ?? '';
  const repeated: Record<string, number> = {};
  const insist = insisting(partner, repeated);
  const ids: string[] = [];
  let held = 0;
  while (!end.aborted || ids.length === 0) {
    const isHeld = ids.length % 2 === 0;
    held += isHeld ? 1 : 0;
    const body = payoutOf(accountId);
    const headers = isHeld ? { 'x-simulate': 'slow=3000' } : {};
    const { id } = (await insist(CreatePayout, { key: randomUUID(), headers, body })) as { readonly id: string };
    ids.push(id);
    await insist(ForceOrderStatus, { body: { id, status: 'PAID' } });
    await sleep(anyPause);
  }
  for (const id of ids) {
    const { status } = (await insist(GetPayout, { params: { id } })) as { readonly status: string };
    if (status !== 'PAID') throw new Error(`The payout ${id} is ${status} instead of PAID.`);
  }
  const listed = (await insist(ListPayouts, { query: { limit: '100' } })) as { readonly data: readonly unknown[] };
  const most = Math.min(100, ids.length);
  if (listed.data.length < most) throw new Error(`The list has ${listed.data.length} of ${ids.length} payouts.`);
  await checkNotified(inbox, ids);
  return { payouts: ids.length, held, repeated };
}

function payoutOf(accountId: string) {
  return {
    ...{ externalId: `release-${randomUUID()}`, accountId, paymentMethod: 'PIX' },
    ...{ paymentData: { pixKey: 'supplier@example.com' }, amount: { currency: 'BRL', value: '1.00' } },
    description: 'Paid while the release changes',
  };
}

/** Repeats a request until it succeeds, and counts why. */
function insisting(partner: Partner, repeated: Record<string, number>) {
  return async (contract: Contract, ask: AnyRequest): Promise<unknown> => {
    const attempt = () =>
      partner.answer(contract, ask).catch((error: unknown) => ({
        status: 0,
        text: (error as NodeJS.ErrnoException).code ?? String(error),
      }));
    const { status, text } = await poll(
      async () => {
        const response = await attempt();
        const why = response.status === 0 ? response.text : `${response.status}`;
        if (isWorthRepeating(response.status)) repeated[why] = (repeated[why] ?? 0) + 1;
        return response;
      },
      (response) => !isWorthRepeating(response.status),
      repeatWithinMs,
    );
    if (status < 200 || status >= 300) throw new Error(`${contract.operationId} got ${status}: ${text}`);
    return jsonOf(text);
  };
}

/** Requests that partners must repeat: without a response, 429, 5xx. */
function isWorthRepeating(status: number): boolean {
  return status === 0 || status === 429 || status >= 500;
}

/** @throws Error unless each payout has exactly one notification, in any number of calls. */
async function checkNotified(inbox: Inbox, ids: readonly string[]): Promise<void> {
  const groupNotifications = () => {
    const notifications = new Map(inbox.received.map(({ id, body }) => [id, body as { readonly id?: string }]));
    return Map.groupBy(notifications.values(), ({ id }) => id);
  };
  const isNotified = () => ids.every((id) => groupNotifications().get(id)?.length === 1);
  if (await poll(isNotified, (is) => is, repeatWithinMs)) return;
  const odd = ids.filter((id) => groupNotifications().get(id)?.length !== 1);
  throw new Error(
    `Payouts without exactly one notification: ${odd.map((id) => `${id} (${groupNotifications().get(id)?.length ?? 0})`).join(', ')}.`,
  );
}

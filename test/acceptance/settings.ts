import type { Partner } from '../support/client.ts';
import type { Inbox } from '../support/receiver.ts';

const TYPES = ['PAYIN', 'PAYIN_REFUND', 'PAYOUT'] as const;

/** Sends everything that the company's settings decide on to one address. */
export async function sendEverythingTo({ raw }: Partner, { url }: Pick<Inbox, 'url'>): Promise<void> {
  const { status, text } = await raw({
    method: 'PUT',
    path: '/order/v1/webhook',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ events: TYPES.map((type) => ({ type, endpoint: url })) }),
  });
  if (status !== 200) throw new Error(`The settings were not replaced: ${status} ${text}`);
}

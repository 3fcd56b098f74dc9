import { ReplaceWebhookSettings } from '#functions/webhooks/replace/contract.ts';
import type { Partner, Inbox } from '@banking-order/partner-tools';

const types = ['PAYIN', 'PAYIN_REFUND', 'PAYOUT', 'CREDIT', 'DISPUTE'] as const;

/** Sends everything that the company's settings decide on to one address. */
export async function sendEverythingTo(partner: Partner, { url }: Pick<Inbox, 'url'>): Promise<void> {
  await partner.call(ReplaceWebhookSettings, { body: { events: types.map((type) => ({ type, endpoint: url })) } });
}

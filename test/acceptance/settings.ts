import { ReplaceWebhookSettings } from '../../functions/webhooks/replace/contract.ts';
import type { Partner } from '../support/client.ts';
import type { Inbox } from '../support/receiver.ts';

const TYPES = ['PAYIN', 'PAYIN_REFUND', 'PAYOUT'] as const;

/** Sends everything that the company's settings decide on to one address. */
export async function sendEverythingTo(partner: Partner, { url }: Pick<Inbox, 'url'>): Promise<void> {
  await partner.call(ReplaceWebhookSettings, { body: { events: TYPES.map((type) => ({ type, endpoint: url })) } });
}

import { checkUrl } from '#shared/platform/target-guard.ts';
import type { AddDetail, RuleContext } from '../contract/contract.ts';
import { text } from '../contract/text.ts';
import { meanings } from '../subscriptions/contract.ts';

/** Length and form only: `requireCallable` and the guard of the dispatch check the host. */
export const WebhookUrl = text(2048).meta({
  format: 'uri',
  description:
    'Your receiver: `https` on a public host, port 443 or one above 1023. Outside production an environment may allow others.',
  examples: ['https://partner.example.com/webhooks'],
});

/** The `webhookUrl` of a subscription, as a partner sends it. */
export const SubscriptionUrl = WebhookUrl.meta({
  description: `${meanings.webhookUrl} \`https\` on a public host, port 443 or one above 1023; outside production an environment may allow others.`,
  examples: ['https://partner.example.com/subscriptions'],
});

/** Adds an error detail for a field whose URL may not be called. It checks only the text of the URL, without DNS. */
export function requireCallable(field: string, url: unknown, { allowLocalTargets }: RuleContext, add: AddDetail): void {
  if (typeof url !== 'string' || url === '') return;
  const checked = checkUrl(url, { allowLocal: allowLocalTargets });
  if (!checked.ok) add(field, 'INVALID_VALUE', checked.because);
}

/** Events of these types go to the endpoint that the company's settings name at the moment of the attempt. */
export const webhookTypes = ['PAYIN', 'PAYIN_REFUND', 'PAYOUT'] as const;
export type WebhookType = (typeof webhookTypes)[number];

/**
 * Where deliveries of a company wait together: for the operator to release the company, for a type to get an active
 * endpoint, or for one endpoint (named by a hash of its address) to be released or to answer again. An index holds the
 * deliveries that wait; this is what is known of the backlog as a whole.
 */
export type BacklogName = 'company' | `type:${WebhookType}` | `endpoint:${string}`;

/** The backlog in which deliveries of a type wait for it to have an active endpoint. */
export function typeBacklog(type: WebhookType): BacklogName {
  return `type:${type}`;
}

const typeBacklogs = webhookTypes.map(typeBacklog);

/** Undefined for anything that names no backlog. */
export function parseBacklogName(text: string): BacklogName | undefined {
  if (text === 'company') return text;
  const hash = /^endpoint:([0-9a-f]+)$/u.exec(text)?.[1];
  return hash === undefined ? typeBacklogs.find((known) => known === text) : `endpoint:${hash}`;
}

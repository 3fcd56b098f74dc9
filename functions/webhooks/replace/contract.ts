import * as z from 'zod';
import type { AddDetail, LooseFields, ExampleOf, RuleContext } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { customIssue } from '#shared/contract/text.ts';
import { EndpointInput, WebhookSettingsRecord } from '#shared/webhooks/contract.ts';
import { exampleSettings } from '#shared/webhooks/examples.ts';
import { requireCallable } from '#shared/webhooks/url.ts';

const Body = z
  .strictObject({
    events: z
      .array(EndpointInput)
      .max(20)
      .meta({ description: 'All endpoints, at most one a type; an empty list takes them all away.' }),
  })
  .check(z.superRefine(oneEndpointAType, { when: () => true }));

/** Allows one endpoint for each type. It also runs when other rules fail (`when`): one response names every error. */
function oneEndpointAType(body: unknown, context: z.RefinementCtx): void {
  const { events } = (body ?? {}) as { events?: unknown };
  if (!Array.isArray(events)) return;
  const types = events.map((event: unknown) => (event as { type?: unknown } | null)?.type);
  types.forEach((type, place) => {
    if (typeof type !== 'string' || types.indexOf(type) === place) return;
    const path = ['events', place, 'type'];
    context.addIssue({ ...customIssue('INVALID_VALUE', 'A type may have only one endpoint.'), path });
  });
}

/** Rejects addresses whose text shows that they may not be called. The handler resolves their hosts, too. */
function contextRules({ events }: LooseFields, context: RuleContext, add: AddDetail): void {
  if (!Array.isArray(events)) return;
  events.forEach((event: unknown, place) => {
    const { endpoint } = (event ?? {}) as { endpoint?: unknown };
    requireCallable(`events.${String(place)}.endpoint`, endpoint, context, add);
  });
}

export const ReplaceWebhookSettings = contract({
  operationId: 'replaceWebhookSettings',
  method: 'PUT',
  path: '/order/v1/webhook',
  tag: 'Webhooks',
  summary: 'Set the webhook endpoints',
  description:
    'Replaces all endpoints; a type that is left out has none any more. Notifications of a type without an active ' +
    'endpoint are held; when the type has one again, what was held in the last 7 days is sent, oldest first. ' +
    'Endpoints are `https` on a public host, port 443 or one above 1023.',
  onceBy: 'STATE',
  body: Body,
  contextRules,
  responses: { 200: WebhookSettingsRecord },
});

export const example = (): ExampleOf<typeof ReplaceWebhookSettings> => ({
  request: { body: { events: exampleSettings.events.map(({ type, endpoint }) => ({ type, endpoint })) } },
  response: { status: 200, body: exampleSettings },
});

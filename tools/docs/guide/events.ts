import type { Resource } from '#functions/transitions.ts';
import { transitions } from '#functions/transitions.ts';
import { notifiedRefundStatuses } from '#shared/refunds/model.ts';
import { markdown } from '#test/bench/page.ts';
import { eventOf } from '../drawings/events.ts';
import { rowsOf } from '../drawings/follow.ts';
import type { Language, Text } from '../drawings/languages.ts';
import type { NotificationName } from '../webhooks.ts';
import { toSettings, toSubscription } from '../webhooks.ts';
import { collapsed } from './markup.ts';
import type { NotifiedEvent } from './event-meanings.ts';
import { eventMeanings } from './event-meanings.ts';

/** Names of the layouts, as headings of their samples. */
const names: Readonly<Record<NotificationName, Text>> = {
  payIn: { en: 'Pay-in', 'pt-BR': 'Recebimento' },
  payInRefund: { en: 'Refund', 'pt-BR': 'Devolução' },
  payout: { en: 'Payout', 'pt-BR': 'Pagamento' },
  credit: { en: 'Credit', 'pt-BR': 'Crédito' },
  creditReturn: { en: 'Return of a credit', 'pt-BR': 'Devolução de um crédito' },
  dispute: { en: 'Dispute', 'pt-BR': 'Contestação' },
  subscription: { en: 'Subscription', 'pt-BR': 'Recorrência' },
  scheduledPayment: { en: 'Scheduled payment', 'pt-BR': 'Cobrança agendada' },
  scheduledPaymentCancellation: {
    en: 'Cancellation of a scheduled payment',
    'pt-BR': 'Cancelamento de uma cobrança agendada',
  },
};

const heads: Readonly<Record<Language, readonly string[]>> = {
  en: ['Event', 'Endpoint', '`type`', '`status`', 'When it is sent'],
  'pt-BR': ['Evento', 'Endpoint', '`type`', '`status`', 'Quando é enviado'],
};

/** Further statuses at an event: of a creation, of a reminder, and of an end that rejects a request to cancel. */
const furtherStatuses: Partial<Readonly<Record<NotifiedEvent, readonly string[]>>> = {
  'CREDIT.RECEIVED': ['OPEN'],
  'DISPUTE.OPENED': ['OPEN'],
  'DISPUTE.DUE_SOON': ['OPEN'],
  'SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.REJECTED': ['COMPLETED', 'REJECTED', 'ERROR', 'CANCELED'],
};

/** What a notification calls the status of a refund. */
const bodyStatuses = new Map<string, string>(
  Object.values(notifiedRefundStatuses).map(({ event, status }) => [event, status]),
);

const layouts = [
  ...Object.entries(toSettings).flatMap(([type, all]) => all.map((documented) => ({ endpoint: type, documented }))),
  ...toSubscription.map((documented) => ({ endpoint: 'webhookUrl', documented })),
];

/** Returns the table of all events of notifications, each with a link to the sample of its layout. */
export function eventTable(language: Language): string {
  const rows = layouts.flatMap(({ endpoint, documented: [name, , layout, { type }] }) =>
    layout.shape.event.options.map((event) => [
      `[\`${event}\`](#${anchorOf(names[name][language])})`,
      `\`${endpoint}\``,
      typeof type === 'string' ? `\`${type}\`` : '',
      statusesOf(event)
        .map((status) => `\`${status}\``)
        .join(' '),
      eventMeanings[event][language],
    ]),
  );
  return `<!-- prettier-ignore -->\n${markdown([heads[language], ...rows])}`;
}

/** Returns a collapsed sample of each layout, under its name. */
export function eventSamples(language: Language): string {
  return layouts
    .map(({ documented: [name, , , example] }) => {
      const { event } = example as { readonly event: NotifiedEvent };
      return `### ${names[name][language]}\n\n${collapsed(`<code>${event}</code>`, [example])}`;
    })
    .join('\n\n');
}

/** Returns the statuses that the resource of an event can have in its body. */
function statusesOf(event: NotifiedEvent): readonly string[] {
  const inBody = bodyStatuses.get(event);
  if (inBody !== undefined) return [inBody];
  const caused = (Object.keys(transitions) as Resource[]).flatMap((resource) =>
    rowsOf(resource)
      .filter((row) => eventOf(resource, row) === event)
      .map(({ to }) => to),
  );
  return [...new Set([...caused, ...(furtherStatuses[event] ?? [])])];
}

function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-');
}

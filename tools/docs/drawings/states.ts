import type { Resource } from '#functions/transitions.ts';
import { firstStatus, rowsOf } from './follow.ts';
import type { Language, Text } from './languages.ts';
import { mermaid } from './mermaid.ts';

/** Titles of the drawings of statuses. */
export const titles: Readonly<Record<Resource, Text>> = {
  SUBSCRIPTION: { en: 'Statuses of a subscription', 'pt-BR': 'Status de uma recorrência' },
  SCHEDULED_PAYMENT: { en: 'Statuses of a scheduled payment', 'pt-BR': 'Status de uma cobrança agendada' },
  PAY_IN: { en: 'Statuses of a pay-in', 'pt-BR': 'Status de um recebimento' },
  REFUND: { en: 'Statuses of a refund', 'pt-BR': 'Status de uma devolução' },
  PAYOUT: { en: 'Statuses of a payout', 'pt-BR': 'Status de um pagamento' },
  CREDIT: { en: 'Statuses of a credit', 'pt-BR': 'Status de um crédito' },
  CREDIT_RETURN: { en: 'Statuses of the return of a credit', 'pt-BR': 'Status da devolução de um crédito' },
  DISPUTE: { en: 'Statuses of a dispute', 'pt-BR': 'Status de uma contestação' },
  KEY_VALIDATION: { en: 'Statuses of a key validation', 'pt-BR': 'Status da validação de uma chave' },
};

const actors: Readonly<Record<'bank' | 'service', Text>> = {
  bank: { en: 'bank', 'pt-BR': 'banco' },
  service: { en: 'service', 'pt-BR': 'serviço' },
};

/**
 * Draws the statuses of a resource. An arrow names the actors of each trigger that leads from one status to the other,
 * and the trigger itself where it is not the new status.
 */
export function statesDrawing(resource: Resource, language: Language): string {
  const rows = rowsOf(resource);
  const arrows = [...Map.groupBy(rows, ({ from, to }) => `${from} --> ${to}`)].map(([arrow, between]) => {
    const captions = [...Map.groupBy(between, ({ trigger }) => trigger)].map(([trigger, same]) => {
      const by = same.map((row) => actors[row.by][language]).join(', ');
      return same.some(({ to }) => to === trigger) ? by : `${trigger} (${by})`;
    });
    return `${arrow} : ${captions.join('<br>')}`;
  });
  const final = new Set(rows.map(({ to }) => to)).difference(new Set(rows.map(({ from }) => from)));
  const ends = [...final].map((status) => `${status} --> [*]`);
  return mermaid('stateDiagram-v2', titles[resource][language], [
    `[*] --> ${firstStatus(resource)}`,
    ...arrows,
    ...ends,
  ]);
}

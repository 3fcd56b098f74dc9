import type { Resource } from '#functions/transitions.ts';
import { transitions } from '#functions/transitions.ts';
import { journeys } from './journeys.ts';
import type { Text } from './languages.ts';
import { languages } from './languages.ts';
import { sequenceDrawing } from './sequence.ts';
import { statesDrawing } from './states.ts';

const resources: Readonly<Record<Resource, Text>> = {
  SUBSCRIPTION: { en: 'Statuses of a subscription', 'pt-BR': 'Status de uma recorrência' },
  SCHEDULED_PAYMENT: { en: 'Statuses of a scheduled payment', 'pt-BR': 'Status de uma cobrança agendada' },
  PAY_IN: { en: 'Statuses of a pay-in', 'pt-BR': 'Status de um recebimento' },
  REFUND: { en: 'Statuses of a refund', 'pt-BR': 'Status de uma devolução' },
  PAYOUT: { en: 'Statuses of a payout', 'pt-BR': 'Status de um pagamento' },
  KEY_VALIDATION: { en: 'Statuses of a key validation', 'pt-BR': 'Status da validação de uma chave' },
};

/** Every drawing of the guide by its file below docs/: journeys from the contracts, statuses from the tables. */
export function drawings(): ReadonlyMap<string, string> {
  const all = languages.flatMap((language) => {
    const folder = language === 'en' ? 'drawings' : `${language}/drawings`;
    const ofJourneys = journeys.map((journey): [string, string] => [
      `${folder}/journey-${journey.name}.svg`,
      sequenceDrawing(journey, language),
    ]);
    const ofStates = Object.entries(transitions).map(([name, table]): [string, string] => [
      `${folder}/states-${name.toLowerCase().replaceAll('_', '-')}.svg`,
      statesDrawing(resources[name as Resource][language], table, language),
    ]);
    return [...ofJourneys, ...ofStates];
  });
  return new Map(all);
}

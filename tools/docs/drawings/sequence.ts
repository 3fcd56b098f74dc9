import type { Lane, Line } from './follow.ts';
import { follow } from './follow.ts';
import type { Journey } from './journeys.ts';
import type { Language, Text } from './languages.ts';
import { mermaid } from './mermaid.ts';

const heads: Readonly<Record<Lane, Text>> = {
  partner: { en: 'You', 'pt-BR': 'Você' },
  service: { en: 'Banking Order Service', 'pt-BR': 'Banking Order Service' },
  bank: { en: "Bank and payer's bank", 'pt-BR': 'Banco e banco do pagador' },
};

const arrows = { call: '->>', answer: '-->>', event: '-)' } as const;

/** Draws a journey as a sequence diagram: calls, the statuses of resources, and notifications with an open arrow. */
export function sequenceDrawing(journey: Journey, language: Language): string {
  const lanes = Object.entries(heads).map(([lane, head]) => `participant ${lane} as ${head[language]}`);
  return mermaid('sequenceDiagram', journey.title[language], [...lanes, ...follow(journey, language).map(drawn)]);
}

function drawn(line: Line): string {
  if ('becomes' in line) return `Note over service: ${line.becomes}`;
  return `${line.from}${arrows[line.kind]}${line.to}: ${line.label}`;
}

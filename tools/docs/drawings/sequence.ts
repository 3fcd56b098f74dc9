import type { Lane, Line } from './follow.ts';
import { follow } from './follow.ts';
import type { Journey } from './journeys.ts';
import type { Language, Text } from './languages.ts';
import { label, letter, round, svg } from './svg.ts';

const heads: Readonly<Record<Lane, Text>> = {
  partner: { en: 'You', 'pt-BR': 'Você' },
  service: { en: 'Banking Order Service', 'pt-BR': 'Banking Order Service' },
  bank: { en: "Bank and payer's bank", 'pt-BR': 'Banco e banco do pagador' },
};

const top = 78;
const margin = 24;
const rowHeight = 38;

/** Draws a journey as a sequence diagram: calls, the statuses of resources, and notifications. */
export function sequenceDrawing(journey: Journey, language: Language): string {
  const lines = follow(journey, language);
  const title = journey.title[language];
  const messages = lines.flatMap((line) => ('from' in line ? [line] : []));
  const widest = (lane: Lane): number =>
    Math.max(
      ...messages.filter(({ from, to }) => from === lane || to === lane).map((message) => message.label.length),
      24,
    ) * letter;
  const chips = Math.max(...lines.map((line) => ('becomes' in line ? line.becomes.length : 0))) * letter + 20;
  const left = Math.max(widest('partner') + 40, chips / 2 + 90);
  const right = Math.max(widest('bank') + 40, chips / 2 + 90);
  const at: Readonly<Record<Lane, number>> = { partner: 60, service: 60 + left, bank: 60 + left + right };
  const height = top + lines.length * rowHeight + margin;
  const width = at.bank + 110;
  const lanes = (['partner', 'service', 'bank'] as const).flatMap((lane) => [
    `<line class="line life" x1="${round(at[lane])}" y1="${top}" x2="${round(at[lane])}" y2="${height - margin / 2}"/>`,
    label(at[lane], top - 12, heads[lane][language], 'head'),
  ]);
  const rows = lines.map((line, place) => drawn(line, at, top + place * rowHeight + 28));
  return svg({ title, text: lines.map(spoken).join('. '), width, height, parts: [...lanes, ...rows] });
}

function drawn(line: Line, at: Readonly<Record<Lane, number>>, y: number): string {
  if ('becomes' in line) {
    const width = line.becomes.length * letter + 20;
    const x = at.service - width / 2;
    const box = `<rect class="box" x="${round(x)}" y="${y - 18}" width="${round(width)}" height="25" rx="12"/>`;
    return `${box}\n${label(at.service, y - 1, line.becomes, 'middle')}`;
  }
  const { from, to, kind } = line;
  const [start, end] = [at[from], at[to]];
  const classes = { call: 'line', answer: 'line dashed', event: 'line event' }[kind];
  const tip = kind === 'event' ? 'told' : 'tip';
  const arrow = `<line class="${classes}" x1="${round(start)}" y1="${y}" x2="${round(end)}" y2="${y}" marker-end="url(#${tip})"/>`;
  return `${arrow}\n${label((start + end) / 2, y - 7, line.label, kind === 'event' ? 'middle told' : 'middle')}`;
}

function spoken(line: Line): string {
  return 'becomes' in line ? line.becomes : `${line.from} → ${line.to}: ${line.label}`;
}

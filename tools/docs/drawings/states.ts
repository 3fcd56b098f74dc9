import type { TransitionTable } from '#shared/core/transition.ts';
import { rowsOf } from './follow.ts';
import type { Language, Text } from './languages.ts';
import type { Placed, PlacedEdge } from './layout.ts';
import { place } from './layout.ts';
import { label, letter, lineHeight, round, svg } from './svg.ts';

const text: Readonly<Record<'bank' | 'service', Text>> = {
  bank: { en: 'bank', 'pt-BR': 'banco' },
  service: { en: 'service', 'pt-BR': 'serviço' },
};

type Row = ReturnType<typeof rowsOf>[number];

/** Draws the statuses of a resource: a double border marks a final status, `↻` a trigger that keeps the status. */
export function statesDrawing(title: string, table: TransitionTable, language: Language): string {
  const rows = rowsOf(table);
  const statuses = [...new Set(rows.flatMap(({ from, to }) => [from, to]))];
  const linesOf = (status: string): readonly string[] => [
    status,
    ...new Set(rows.filter(({ from, to }) => from === to && to === status).map(({ trigger }) => `↻ ${trigger}`)),
  ];
  const moving = rows.filter(({ from, to }) => from !== to);
  const moves = [...Map.groupBy(moving, ({ from, to }) => `${from} ${to}`)].map(([ends, all]) => {
    const [from = '', to = ''] = ends.split(' ');
    return { from, to, all, caption: captionOf(all, language) };
  });
  const placed = place(
    new Map(statuses.map((status) => [status, sizeOf(linesOf(status))])),
    moves.map(({ from, to, caption }) => ({ from, to, ...sizeOf(caption) })),
  );
  const edges = moves.map(({ from, to, all, caption }) =>
    drawnEdge(
      placed.edge(from, to),
      caption,
      all.every(({ by }) => by === 'service'),
    ),
  );
  const nodes = statuses.map((status) =>
    drawnNode(
      placed.node(status),
      linesOf(status),
      rows.every(({ from }) => from !== status),
    ),
  );
  const sentences = rows.map(({ from, trigger, to, by }) => `${from} → ${to}: ${trigger} (${text[by][language]})`);
  const parts = ['<g transform="translate(0 56)">', ...edges, ...nodes, '</g>'];
  const width = Math.max(placed.width, title.length * 9 + 48);
  return svg({ title, text: sentences.join('. '), width, height: placed.height + 80, parts });
}

/** Names the actors, and the triggers that differ from the new status. */
function captionOf(rows: readonly Row[], language: Language): readonly string[] {
  const by = [...new Set(rows.map((row) => text[row.by][language]))].join(', ');
  return [by, ...new Set(rows.filter(({ trigger, to }) => trigger !== to).map(({ trigger }) => trigger))];
}

function sizeOf(lines: readonly string[]): { width: number; height: number } {
  return {
    width: Math.max(...lines.map(({ length }) => length)) * letter + 24,
    height: lines.length * lineHeight + 14,
  };
}

function drawnNode({ x, y, width, height }: Placed, lines: readonly string[], isFinal: boolean): string {
  const [left, upper] = [round(x - width / 2), round(y - height / 2)];
  const box = (inset: number): string =>
    `<rect class="box" x="${left + inset}" y="${upper + inset}" width="${round(width - 2 * inset)}" height="${round(height - 2 * inset)}" rx="${8 - inset}"/>`;
  const labels = lines.map((line, place) =>
    label(x, upper + 19 + place * lineHeight, line, place === 0 ? 'middle' : 'middle quiet'),
  );
  return [box(0), ...(isFinal ? [box(3)] : []), ...labels].join('\n');
}

function drawnEdge({ points, x, y, height }: PlacedEdge, lines: readonly string[], isService: boolean): string {
  const path = points.map((point, place) => `${place === 0 ? 'M' : 'L'}${round(point.x)} ${round(point.y)}`).join('');
  const widest = Math.max(...lines.map(({ length }) => length)) * letter + 8;
  const behind = `<rect class="paper" x="${round(x - widest / 2)}" y="${round(y - height / 2 + 5)}" width="${round(widest)}" height="${round(height - 10)}"/>`;
  const labels = lines.map((line, place) => label(x, y - height / 2 + 19 + place * lineHeight, line, 'middle quiet'));
  const classes = isService ? 'line dashed' : 'line';
  return [`<path class="${classes}" d="${path}" marker-end="url(#tip)"/>`, behind, ...labels].join('\n');
}

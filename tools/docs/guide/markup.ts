import type { Json } from '../schemas.ts';

/** Returns a part that a reader opens by its summary (HTML): bodies, and texts between them. */
export function collapsed(summary: string, parts: readonly Json[]): string {
  const shown = parts.map((part) => (typeof part === 'string' ? part : `\`\`\`json\n${pageJson(part)}\n\`\`\``));
  return ['<details>', `<summary>${summary}</summary>`, '', shown.join('\n\n'), '', '</details>'].join('\n');
}

/** Length up to which a value stands on one line. */
const maxLine = 100;

/** Returns JSON for a page: a list or object on one line where it is short, as Prettier leaves it. */
function pageJson(value: Json, indent = ''): string {
  const line = oneLine(value);
  if (typeof value !== 'object' || value === null || indent.length + line.length <= maxLine) return line;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const members = Array.isArray(value)
    ? value.map((item: Json) => pageJson(item, inner))
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${pageJson(member, inner)}`);
  return `${String(open)}\n${members.map((member) => inner + member).join(',\n')}\n${indent}${String(close)}`;
}

function oneLine(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((item: Json) => oneLine(item)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${oneLine(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

import type { Contract } from '#shared/contract/contract.ts';
import type { Language, Text } from '../drawings/languages.ts';
import { exampleOf } from '../operation.ts';
import type { Json } from '../schemas.ts';
import { collapsed } from './markup.ts';

/** Characters of a text, such as that of a QR code, that a page shows. */
const shownCharacters = 60;

const requestWord: Text = { en: 'Request', 'pt-BR': 'Requisição' };
const responseWord: Text = { en: 'Response', 'pt-BR': 'Resposta' };

/** Returns the collapsed bodies of a call: the examples of the API document, long texts cut. */
export function bodies(contract: Contract, language: Language): string {
  const { request, response } = exampleOf(contract);
  const sent = request.body === undefined ? [] : [`${requestWord[language]}:`, cut(request.body as Json)];
  return collapsed(`<code>${contract.method} ${contract.path}</code>`, [
    ...sent,
    `${responseWord[language]} ${String(response.status)}:`,
    cut(response.body as Json),
  ]);
}

function cut(value: Json): Json {
  if (typeof value === 'string') return value.length <= shownCharacters ? value : `${value.slice(0, shownCharacters)}…`;
  if (Array.isArray(value)) return value.map((item: Json) => cut(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cut(member)]));
}

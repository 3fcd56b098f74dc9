import { readFileSync } from 'node:fs';
import { routes } from '#functions/routes.ts';
import { markdown, withTables } from '#test/bench/page.ts';
import type { Language } from '../drawings/languages.ts';
import { languages } from '../drawings/languages.ts';
import { bodies } from './bodies.ts';
import { eventSamples, eventTable } from './events.ts';
import { bcbNames, codeTerms, partnerTerms } from './glossary.ts';

const docs = new URL('../../../docs/', import.meta.url);

/** Pages with blocks that `npm run openapi` writes, by their paths below docs/. */
const pagesWithBlocks: Readonly<Record<Language, readonly string[]>> = {
  en: ['../README.md', 'architecture.md', 'webhooks.md', 'payments.md', 'subscriptions.md'],
  'pt-BR': ['../README.pt-BR.md', 'pt-BR/webhooks.md', 'pt-BR/payments.md', 'pt-BR/subscriptions.md'],
};

/** Returns the pages that have blocks, with current blocks, by their paths below docs/. */
export function guidePages(): ReadonlyMap<string, string> {
  const pages = languages.flatMap((language) => {
    const blocks = blocksIn(language);
    return pagesWithBlocks[language].map((path): [string, string] => [
      path,
      withTables(readFileSync(new URL(path, docs), 'utf8'), blocks),
    ]);
  });
  return new Map(pages);
}

/** Returns every block by its name: the glossary, table and samples of events, and the bodies of each operation. */
function blocksIn(language: Language): Readonly<Record<string, string>> {
  const ofCalls: Readonly<Record<string, string>> = Object.fromEntries(
    routes.map(({ contract }) => [contract.operationId, bodies(contract, language)]),
  );
  const other = language === 'en' ? 'pt-BR' : 'en';
  const terms = partnerTerms.map(
    ({ word, meaning }) => `- **${word[language]}** (${word[other]}): ${meaning[language]}`,
  );
  const codeTable = markdown([['Term', 'Meaning', 'BCB’s word'], ...codeTerms]);
  return {
    terms: terms.join('\n'),
    glossary: `Portuguese texts write ${bcbNames.map(({ name }) => `_${name}_`).join(', ')}.\n\n<!-- prettier-ignore -->\n${codeTable}`,
    events: eventTable(language),
    samples: eventSamples(language),
    ...ofCalls,
  };
}

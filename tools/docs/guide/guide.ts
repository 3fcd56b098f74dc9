import { readFileSync } from 'node:fs';
import { routes } from '#functions/routes.ts';
import { withTables } from '#test/bench/page.ts';
import type { Language } from '../drawings/languages.ts';
import { folders, languages } from '../drawings/languages.ts';
import { bodies } from './bodies.ts';
import { eventSamples, eventTable } from './events.ts';

const docs = new URL('../../../docs/', import.meta.url);

/** Pages with blocks that `npm run openapi` writes. */
const names = ['webhooks', 'payments', 'subscriptions'] as const;

/** Returns the pages of the guide that have blocks, with current blocks, by their paths below docs/. */
export function guidePages(): ReadonlyMap<string, string> {
  const pages = languages.flatMap((language) => {
    const blocks = blocksIn(language);
    return names.map((name): [string, string] => {
      const path = `${folders[language]}${name}.md`;
      return [path, withTables(readFileSync(new URL(path, docs), 'utf8'), blocks)];
    });
  });
  return new Map(pages);
}

/** Returns every block by its name: the table and the samples of events, and the bodies of each operation. */
function blocksIn(language: Language): Readonly<Record<string, string>> {
  const ofCalls: Readonly<Record<string, string>> = Object.fromEntries(
    routes.map(({ contract }) => [contract.operationId, bodies(contract, language)]),
  );
  return { events: eventTable(language), samples: eventSamples(language), ...ofCalls };
}

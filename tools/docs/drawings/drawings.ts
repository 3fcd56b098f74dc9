import type { Resource } from '#functions/transitions.ts';
import { journeys } from './journeys.ts';
import type { Language, Text } from './languages.ts';
import { folders, languages } from './languages.ts';
import { sequenceDrawing } from './sequence.ts';
import { statesDrawing, titles } from './states.ts';

const headings = {
  journeys: { en: 'Journeys', 'pt-BR': 'Jornadas' },
  statuses: { en: 'Statuses', 'pt-BR': 'Status' },
} as const satisfies Readonly<Record<string, Text>>;

/** Drawings of a page of the guide, by their titles: journeys from the contracts, statuses from the tables. */
const drawn: Readonly<Record<keyof typeof headings, (language: Language) => ReadonlyMap<string, string>>> = {
  journeys: (language) =>
    new Map(journeys.map((journey) => [journey.title[language], sequenceDrawing(journey, language)])),
  statuses: (language) =>
    new Map(
      Object.entries(titles).map(([resource, { [language]: title }]) => [
        title,
        statesDrawing(resource as Resource, language),
      ]),
    ),
};

/** Returns the pages of drawings, by their paths below docs/. GitHub draws each block. */
export function drawingPages(): ReadonlyMap<string, string> {
  const pages = languages.flatMap((language) =>
    (['journeys', 'statuses'] as const).map((name): [string, string] => {
      const blocks = [...drawn[name](language)].map(
        ([title, drawing]) => `## ${title}\n\n\`\`\`mermaid\n${drawing}\`\`\`\n`,
      );
      return [`${folders[language]}drawings/${name}.md`, [`# ${headings[name][language]}\n`, ...blocks].join('\n')];
    }),
  );
  return new Map(pages);
}

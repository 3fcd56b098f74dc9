import type { Resource } from '#functions/transitions.ts';
import { journeys } from './journeys.ts';
import type { Language } from './languages.ts';
import { sequenceDrawing } from './sequence.ts';
import { statesDrawing, titles } from './states.ts';

/** Returns every drawing of the guide by its title: journeys from the contracts, statuses from the tables. */
export function drawings(language: Language): ReadonlyMap<string, string> {
  const ofStates = Object.entries(titles).map(([resource, { [language]: title }]): [string, string] => [
    title,
    statesDrawing(resource as Resource, language),
  ]);
  const ofJourneys = journeys.map((journey): [string, string] => [
    journey.title[language],
    sequenceDrawing(journey, language),
  ]);
  return new Map([...ofJourneys, ...ofStates]);
}

/** A drawing in a page of the guide. A block with its title alone becomes the drawing. */
const block = /^```mermaid\n---\ntitle: "([^"\n]+)"\n---\n.*?^```$/gmsu;

/** Returns a page of the guide with these drawings by their titles. @throws Error for a title that none of them has. */
export function redrawn(page: string, current: ReadonlyMap<string, string>): string {
  return page.replaceAll(block, (_, title: string) => {
    const drawing = current.get(title);
    if (drawing === undefined) throw new Error(`No drawing has the title ${title}.`);
    return `\`\`\`mermaid\n${drawing}\`\`\``;
  });
}

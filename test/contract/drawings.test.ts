import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Resource } from '#functions/transitions.ts';
import { transitions } from '#functions/transitions.ts';
import { scheduledPaymentTransitions, decideScheduledPayment } from '#shared/scheduled-payments/states.ts';
import { decideSubscription, subscriptionTransitions } from '#shared/subscriptions/states.ts';
import { eventOf } from '#tools/docs/drawings/events.ts';
import { drawingPages } from '#tools/docs/drawings/drawings.ts';
import { follow } from '#tools/docs/drawings/follow.ts';
import { journeys } from '#tools/docs/drawings/journeys.ts';
import type { Language } from '#tools/docs/drawings/languages.ts';
import { folders, languages } from '#tools/docs/drawings/languages.ts';
import { titles } from '#tools/docs/drawings/states.ts';
import type { TransitionTable } from '#shared/core/transition.ts';
import { aSubscription, later } from '../support/builders.ts';
import { aPayment, newIds, terms } from '../support/charges.ts';
import { documentText } from '../support/document.ts';
import { each } from '../support/each.ts';

const docs = new URL('../../docs/', import.meta.url);

/** Returns the drawings of a language by their titles, from the pages that show them. */
function drawings(language: Language): ReadonlyMap<string, string> {
  const pages = [...drawingPages()].filter(([name]) => name.startsWith(`${folders[language]}drawings/`));
  const blocks = pages.flatMap(([, page]) => [...page.matchAll(/^## ([^\n]+)\n\n```mermaid\n(.*?)^```$/gmsu)]);
  return new Map(blocks.map(([, title = '', drawing = '']) => [title, drawing]));
}

test.each([...drawingPages()])('docs/%s is current: if not, run `npm run openapi` and commit it', (name, page) => {
  expect(readFileSync(new URL(name, docs), 'utf8')).toBe(page);
});

test.each(languages)('the guide (%s) has pages of drawings and no other file with them', (language) => {
  const folder = new URL(`${folders[language]}drawings/`, docs);
  expect(readdirSync(folder).toSorted()).toEqual(['journeys.md', 'statuses.md']);
});

test.each(languages)('the guide (%s) leads to every drawing', (language) => {
  const folder = new URL(folders[language], docs);
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
  const texts = names.map((name) => readFileSync(new URL(name, folder), 'utf8')).join('\n');
  const missing = [...drawings(language).keys()].filter((title) => !texts.includes(`[${title}](drawings/`));
  expect(missing).toEqual([]);
});

/** Returns the lines of a drawing behind its title. */
function linesOf(language: Language, kind: string, title: string): readonly string[] {
  const [head, name, ...lines] = (drawings(language).get(title) ?? '').trimEnd().split('\n').slice(3);
  expect([head, name]).toEqual([kind, `  accTitle: ${title}`]);
  return lines.map((line) => line.trim());
}

const actorWords = { en: { bank: 'bank', service: 'service' }, 'pt-BR': { bank: 'banco', service: 'serviço' } };

describe.each(languages)('drawings of statuses (%s)', (language) => {
  const { bank, service } = actorWords[language];

  test.each(Object.entries<TransitionTable>(transitions))(
    '%s has the transitions of its table alone',
    (name, table) => {
      const lines = linesOf(language, 'stateDiagram-v2', titles[name as Resource][language]);
      const drawn = lines.flatMap((line) => {
        const [arrow = '', captions = ''] = line.split(' : ');
        const [from, to] = arrow.split(' --> ');
        return captions.split('<br>').flatMap((caption) => {
          const [, trigger = to, by = caption] = /^(\w+) \((.+)\)$/u.exec(caption) ?? [];
          return by.split(', ').map((actor) => `${from} ${trigger} ${to} ${actor}`);
        });
      });
      const all = [...table.bank, ...(table.bankAlone ?? []), ...table.service];
      const statuses = [...new Set(all.flatMap(([from, , to]) => [from, to]))];
      const firsts = statuses.filter((status) => all.every(([from, , to]) => to !== status || from === status));
      const finals = statuses.filter((status) => all.every(([from]) => from !== status));
      expect(drawn.toSorted()).toEqual(
        [
          ...[...table.bank, ...(table.bankAlone ?? [])].map((row) => `${row.join(' ')} ${bank}`),
          ...table.service.map((row) => `${row.join(' ')} ${service}`),
          ...firsts.map((status) => `[*] ${status} ${status} `),
          ...finals.map((status) => `${status} [*] [*] `),
        ].toSorted(),
      );
    },
  );
});

test('a drawn notification is the one that the decision makes', () => {
  for (const [from, trigger, to] of each(scheduledPaymentTransitions.bank)) {
    const failed = { trigger, at: later, errorCode: 'AM02' };
    const charge = { payment: aPayment({ status: from }), terms: terms() };
    const { events } = decideScheduledPayment(charge, failed, newIds);
    expect(events.map(({ event }) => event)).toEqual([eventOf('SCHEDULED_PAYMENT', { trigger, to })]);
  }
  for (const [status, outcome, to] of each(subscriptionTransitions.bank)) {
    const before = { subscription: aSubscription({ status }), cancellations: [] };
    const { event } = decideSubscription(before, { outcome }, { at: later, id: newIds.cancellationId });
    expect(event).toBe(eventOf('SUBSCRIPTION', { trigger: outcome, to }));
  }
});

describe.each(journeys)('$name', (journey) => {
  const lines = follow(journey, 'en');

  test.each(languages)('a journey is drawn (%s) line by line, without anything more', (language) => {
    const drawn = linesOf(language, 'sequenceDiagram', journey.title[language]);
    const lanes = drawn.slice(0, 3).map((line) => /^participant (\w+) as \S/u.exec(line)?.[1]);
    expect(lanes).toEqual(['partner', 'service', 'bank']);
    const arrows = { call: '->>', answer: '-->>', event: '-)' };
    expect(drawn.slice(3)).toEqual(
      follow(journey, language).map((line) =>
        'becomes' in line
          ? `Note over service: ${line.becomes}`
          : `${line.from}${arrows[line.kind]}${line.to}: ${line.label}`,
      ),
    );
  });

  test('shows only notifications that the OpenAPI document has', () => {
    const events = lines.flatMap((line) => ('from' in line && line.kind === 'event' ? [line.label] : []));
    expect(events.filter((event) => !documentText.includes(`"${event}"`))).toEqual([]);
    expect(events.length > 0 || journey.name === 'pix-key').toBe(true);
  });

  test('makes no transition that the tables do not have', () => {
    const [first] = journey.steps.flatMap((step) => ('moves' in step ? [step] : []));
    if (first === undefined) return;
    const twice = { ...journey, steps: [...journey.steps, { ...first, trigger: 'NOWHERE' }] };
    expect(() => follow(twice, 'en')).toThrow('has no transition NOWHERE');
  });
});

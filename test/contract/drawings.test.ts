import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { transitions } from '#functions/transitions.ts';
import { scheduledPaymentTransitions, decideScheduledPayment } from '#shared/scheduled-payments/states.ts';
import { decideSubscription, subscriptionTransitions } from '#shared/subscriptions/states.ts';
import { eventOf } from '#tools/docs/drawings/events.ts';
import { drawings } from '#tools/docs/drawings/drawings.ts';
import { follow } from '#tools/docs/drawings/follow.ts';
import { journeys } from '#tools/docs/drawings/journeys.ts';
import { languages } from '#tools/docs/drawings/languages.ts';
import type { TransitionTable } from '#shared/core/transition.ts';
import { aSubscription, later } from '../support/builders.ts';
import { aPayment, newIds, terms } from '../support/charges.ts';
import { documentText } from '../support/document.ts';
import { each } from '../support/each.ts';

const docs = new URL('../../docs/', import.meta.url);
const drawn = drawings();

test('the drawings match contracts and tables: if not, run `npm run openapi` and commit them', () => {
  const kept = ['drawings', 'pt-BR/drawings'].flatMap((folder) =>
    readdirSync(new URL(folder, docs)).map((name) => `${folder}/${name}`),
  );
  expect(kept.toSorted()).toEqual([...drawn.keys()].toSorted());
  expect([...drawn].filter(([name, text]) => readFileSync(new URL(name, docs), 'utf8') !== text)).toEqual([]);
});

test('a drawing shows every status of its table, and stands alone', () => {
  for (const [resource, table] of each(Object.entries<TransitionTable>(transitions))) {
    const svg = drawn.get(`drawings/states-${resource.toLowerCase().replaceAll('_', '-')}.svg`) ?? '';
    const statuses = [...table.bank, ...table.service].flatMap(([from, , to]) => [from, to]);
    expect(statuses.filter((status) => !svg.includes(`>${status}</text>`))).toEqual([]);
  }
  for (const svg of each(drawn.values()))
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|href/u);
});

test('every page of the guide shows drawings that there are, and every drawing is shown', () => {
  for (const [language, folder] of [
    ['en', ''],
    ['pt-BR', 'pt-BR/'],
  ] as const) {
    expect(languages).toContain(language);
    const pages = readdirSync(new URL(folder, docs)).filter((name) => name.endsWith('.md'));
    const shown = pages.flatMap((page) =>
      [...readFileSync(new URL(folder + page, docs), 'utf8').matchAll(/!\[[^\]]+\]\((drawings\/[^)]+)\)/gu)].map(
        ([, name = '']) => folder + name,
      ),
    );
    const own = [...drawn.keys()].filter((name) => name.startsWith(`${folder}drawings/`));
    expect(shown.toSorted()).toEqual(own.toSorted());
  }
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

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { routes } from '#functions/routes.ts';
import { issues } from '#shared/core/errors.ts';
import { helpLink } from '#shared/platform/http/help-link.ts';
import type { Language } from '#tools/docs/drawings/languages.ts';
import { languages } from '#tools/docs/drawings/languages.ts';
import { errorStatusList } from '#tools/docs/error-meanings.ts';
import { errorsPage } from '#tools/docs/errors-page.ts';
import { bodies } from '#tools/docs/guide/bodies.ts';
import { eventTable } from '#tools/docs/guide/events.ts';
import { guidePages } from '#tools/docs/guide/guide.ts';
import { collapsed } from '#tools/docs/guide/markup.ts';
import { check, document, operations } from '../support/document.ts';
import { each } from '../support/each.ts';

const docs = new URL('../../docs/', import.meta.url);

test.each([...guidePages()])('docs/%s is current: if not, run `npm run openapi` and commit it', (name, page) => {
  expect(readFileSync(new URL(name, docs), 'utf8') === page).toBe(true);
});

test.each(languages)(
  'every mark in the guide (%s) begins or ends a block that `npm run openapi` writes',
  (language) => {
    for (const [path, page] of each(pagesIn(language))) {
      const marks = [...page.matchAll(/<!-- (?!prettier)(.+) -->/gu)].map(([, mark = '']) => mark);
      const names = marks.filter((_mark, place) => place % 2 === 0);
      expect(marks, path).toEqual(names.flatMap((name) => [name, 'end']));
      const known = [
        'terms',
        'glossary',
        'events',
        'samples',
        ...operations.map(({ operation }) => operation.operationId),
      ];
      expect(
        names.filter((name) => !known.includes(name)),
        path,
      ).toEqual([]);
    }
  },
);

test.each(languages)('the guide (%s) shows the bodies of every call with a body, but of the simulation', (language) => {
  const pages = pagesIn(language).map(([, page]) => page);
  const shown = [...pages.join('\n').matchAll(/^<!-- (?!end)(\w+) -->$/gmu)].map(([, name]) => name);
  const needed = operations
    .filter(({ operation }) => operation.requestBody !== undefined)
    .map(({ operation }) => routes.find(({ contract }) => contract.operationId === operation.operationId)!)
    .filter(({ simulation }) => simulation !== true)
    .map(({ contract }) => contract.operationId);
  expect(needed.filter((operationId) => !shown.includes(operationId))).toEqual([]);
  expect(shown).toHaveLength(new Set(shown).size);
});

test('the table of events has each event of the layouts once, with statuses that its layout allows', () => {
  const rows = eventTable('en').split('\n').slice(3);
  const events = Object.values(document.components.pathItems).flatMap(({ post }) => {
    const { schema, example } = post.requestBody!.content['application/json'];
    const name = /[^/]+$/u.exec((schema as { $ref: string }).$ref)![0];
    const { properties } = document.components.schemas[name] as { properties: Record<string, object> };
    const { event } = properties as { event: { 'x-extensible-enum': readonly string[] } };
    return event['x-extensible-enum'].map((one) => ({ one, schema, example: example as Record<string, unknown> }));
  });
  expect(rows).toHaveLength(events.length);
  for (const { one, schema, example } of each(events)) {
    const row = rows.find((text) => text.includes(`[\`${one}\`]`)) ?? '';
    const statuses = [...(row.split(' | ')[3] ?? '').matchAll(/`(\w+)`/gu)].map(([, status]) => status);
    expect(statuses, one).not.toEqual([]);
    const valid = check(schema);
    for (const status of each(statuses))
      expect(valid(withStatus({ ...example, event: one }, status)), `${one} ${status}`).toBe(true);
  }
});

test('a page shows short objects on one line, and cuts long texts', () => {
  const long = { list: ['a'.repeat(60), 'b'.repeat(60)], amount: { value: '1.00' }, none: null };
  expect(collapsed('a', [long])).toContain(
    `{\n  "list": [\n    "${'a'.repeat(60)}",\n    "${'b'.repeat(60)}"\n  ],\n  "amount": { "value": "1.00" },\n  "none": null\n}`,
  );
  expect(bodies(CreatePayIn, 'en')).toMatch(/"qrcodeData": ".{60}…"/u);
});

function pagesIn(language: Language): readonly (readonly [path: string, page: string])[] {
  return [...guidePages()].filter(([path]) => path.includes('pt-BR') === (language === 'pt-BR'));
}

test('docs/errors.md has a heading for each code in the link of an error', () => {
  const page = errorsPage();
  const anchors = [...page.matchAll(/^### `(\w+)`$/gmu)].map(([, code = '']) => code.toLowerCase());
  const linked = [
    ...errorStatusList.map((status) => helpLink('#', status, [])),
    ...issues.map((issue) => helpLink('#', 400, [{ issue }])),
  ];
  expect(linked).toEqual(anchors.map((anchor) => `<#${anchor}>; rel="help"`));
});

/** A notification whose resource has the status: at the top, in `data`, or of the return in it. */
function withStatus(body: Record<string, unknown>, status: unknown): unknown {
  if ('status' in body) return { ...body, status };
  const data = body['data'] as Record<string, unknown>;
  if (!('return' in data)) return { ...body, data: { ...data, status } };
  return { ...body, data: { ...data, return: { ...(data['return'] as object), status } } };
}

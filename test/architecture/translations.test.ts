import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './sources.ts';

const pages = ['quickstart', 'payments', 'subscriptions', 'webhooks', 'sandbox', 'partners'];
const pairs: readonly (readonly [english: string, portuguese: string])[] = [
  ['README.md', 'README.pt-BR.md'],
  ...pages.map((page) => [`docs/${page}.md`, `docs/pt-BR/${page}.md`] as const),
];

type Section = {
  readonly level: number;
  readonly blocks: readonly string[];
  readonly codes: readonly string[];
  readonly numbers: readonly string[];
  readonly items: number;
  readonly tables: readonly (readonly string[])[];
};

/** What a document says that is the same in every language, heading by heading. */
function sectionsOf(document: string): readonly Section[] {
  const block = /^```[\s\S]*?^```$/gmu;
  const blocks = document.match(block) ?? [];
  // A block stands for itself by its place: a line of it is no heading.
  const named = document.replaceAll(block, () => '@block');
  let seen = 0;
  return named.split(/^(?=#+ )/mu).map((part) => {
    const own = part.match(/^@block$/gmu)?.length ?? 0;
    seen += own;
    const prose = part.replaceAll(/\]\([^)]*\)/gu, ']').replaceAll(/`[^`]*`/gu, '');
    return {
      level: /^#*/u.exec(part)?.[0].length ?? 0,
      blocks: blocks.slice(seen - own, seen),
      codes: (part.match(/`[^`\n]+`/gu) ?? []).toSorted(),
      numbers: (prose.match(/\d[\d.,:]*/gu) ?? []).map((number) => number.replaceAll(/[.,]/gu, '')).toSorted(),
      items: part.match(/^(?:-|\d\.) /gmu)?.length ?? 0,
      tables: (part.match(/^\|.*\|$/gmu) ?? []).map((row) => row.match(/`[^`]+`/gu) ?? []),
    };
  });
}

describe.each(pairs)('%s and its translation %s', (english, portuguese) => {
  const [one = [], other = []] = [english, portuguese].map((path) =>
    sectionsOf(readFileSync(join(root, path), 'utf8')),
  );

  test('have the same headings, blocks, codes, numbers, lists and tables', () => {
    expect(other, 'Translate the change: codes and names of fields stay.').toEqual(one);
  });
});

test('every page in Portuguese is the translation of one', () => {
  const translated = pairs.map(([, portuguese]) => portuguese);
  expect([...globSync('docs/pt-BR/*.md', { cwd: root }), 'README.pt-BR.md'].toSorted()).toEqual(translated.toSorted());
});

test('these checks see what they look for', () => {
  const text = '# A\nPay `amount` within 7 days.\n\n- one\n\n```sh\n# no heading\n```\n\n| `AB03` | why |\n';
  const [, section] = sectionsOf(`\n${text}`);
  expect(section).toEqual({
    ...{ level: 1, blocks: ['```sh\n# no heading\n```'], codes: ['`AB03`', '`amount`'], numbers: ['7'], items: 1 },
    tables: [['`AB03`']],
  });
  const changes = [
    ['7 days', '8 days'],
    ['`amount`', '`value`'],
    ['# no', '# other'],
    ['- one\n', '- one\n- two\n'],
    ['# A', '## A'],
    ['`AB03` |', '`AB09` |'],
  ] as const;
  for (const [before, after] of changes)
    expect(sectionsOf(text.replace(before, after)), after).not.toEqual(sectionsOf(text));
});

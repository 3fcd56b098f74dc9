import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { catalogue, firstLanguage } from '#console/page/language.ts';

type Tree = string | ((...given: never[]) => string) | { readonly [name: string]: Tree };

/** Every text with its place; one that is made of something, made of the names of its parts. */
function textsOf(tree: Tree, path = ''): readonly (readonly [path: string, text: string])[] {
  if (typeof tree === 'string') return [[path, tree]];
  if (typeof tree === 'function') {
    const given = Array.from({ length: tree.length }, (_none, at) => `‹${String(at)}›`);
    return [[path, (tree as (...given: string[]) => string)(...given)]];
  }
  return Object.entries(tree).flatMap(([name, inner]) => textsOf(inner, `${path}.${name}`));
}

/** Terms that both languages write alike. */
const alike = new Set(['Webhooks', 'Console', 'Local', 'Menu', 'Status', 'Id', 'Bytes', 'Total']);

test('every text is there in both languages, made of the same parts, and translated', () => {
  const english = textsOf(catalogue.en);
  const portuguese = new Map(textsOf(catalogue['pt-BR']));
  expect(english.length).toBeGreaterThan(200);
  expect([...portuguese.keys()]).toEqual(english.map(([path]) => path));
  const parts = (text: string): readonly string[] => [...new Set(text.match(/‹\d›/gu))].toSorted();
  const wrong = english.filter(([path, text]) => {
    const other = portuguese.get(path) ?? '';
    const words = text.replaceAll(/‹\d›/gu, '').match(/\p{L}{3,}/gu) ?? [];
    const isSame = other === text && words.some((word) => !alike.has(word));
    return other.trim() === '' || isSame || parts(text).join('') !== parts(other).join('');
  });
  expect(wrong).toEqual([]);
});

test('every text of a screen is in the catalogue: no component has a text of its own', () => {
  const folder = join(import.meta.dirname, '../src/page');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'));
  expect(files.length).toBeGreaterThan(15);
  expect(files.flatMap((name) => wordsOf(name, readFileSync(join(folder, name), 'utf8')))).toEqual([]);
  const spoken = 'export const A = () => <p title="Some words">It speaks {"aloud"}</p>;';
  expect(wordsOf('a.tsx', spoken)).toEqual(['a.tsx: Some words', 'a.tsx: It speaks']);
});

/** Attributes that a browser or a screen reader presents. */
const read = new Set(['title', 'label', 'aria-label', 'alt', 'placeholder', 'name', 'done', 'what']);
/** Names that are the same in every language. */
const names = new Set([
  'curl',
  'BR Code',
  'webhook-id',
  'PIX copia e cola',
  'ORDER-PAYIN.PAID',
  'POST, order-payins, …',
  'text',
]);

function wordsOf(file: string, text: string): readonly string[] {
  const found: string[] = [];
  const keep = (words: string): void => {
    if (/\p{L}{2,}/u.test(words) && !names.has(words.trim())) found.push(`${file}: ${words.trim()}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node)) keep(node.text);
    if (ts.isJsxAttribute(node) && node.initializer && ts.isStringLiteral(node.initializer))
      if (read.has(node.name.getText())) keep(node.initializer.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
  return found;
}

test.each([
  ['the choice', 'en', ['pt-BR'], 'en'],
  ['the first of the browser that there is', null, ['fr-FR', 'pt-PT', 'en'], 'pt-BR'],
  ['English, where there is none', null, ['fr-FR'], 'en'],
  ['the browser, where the choice is not one', 'xx', ['pt'], 'pt-BR'],
] as const)('the page begins in %s', (_what, chosen, preferred, expected) => {
  expect(firstLanguage(chosen, preferred)).toBe(expected);
});

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { workerNames } from '#functions/workers.ts';
import { keyWords, sortKeys } from './key-words.ts';
import { root, sources } from './sources.ts';

const OpenApi = z.object({
  paths: z.record(
    z.string(),
    z.object({
      get: z
        .object({
          parameters: z.array(
            z.object({ name: z.string().optional(), schema: z.object({ default: z.unknown().optional() }).optional() }),
          ),
        })
        .optional(),
    }),
  ),
});

const documents = ['README.md', 'README.pt-BR.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: root })].map(
  (path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return { path, text, named: named(text) };
  },
);

/** Names in backticks that belong to other software, or to the output of a run. */
const externalNames: Readonly<Record<string, readonly string[]>> = {
  'a library that was not taken': ['date-holidays', 'p-map', 'p-queue'],
  'a word of AWS or LocalStack': ['AccessDenied', 'ConcurrentExecutions', 'ISSUED', 'LOCALSTACK_AUTH_TOKEN'],
};

test('every path that a document names exists', () => {
  const missing = documents.flatMap(({ path, named: names }) =>
    names
      .filter((name) => /^(?:shared|functions|infra|packages|tools|test|docs|\.ci)\/\S*$/u.test(name))
      .flatMap((name) => spelledOut(name))
      .filter((name) =>
        name.includes('*') ? globSync(name, { cwd: root }).length === 0 : !existsSync(join(root, name)),
      )
      .map((name) => `${path}: ${name}`),
  );
  expect(missing, 'A reader follows the path of a document. Write the current path.').toEqual([]);
});

test('a comment names a decision by its record', () => {
  const records = globSync('docs/decisions/*.md', { cwd: root }).map((path) => /\d+/u.exec(path)?.[0]);
  const astray = sources.flatMap(({ path, lines }) =>
    lines.flatMap((line, at) => {
      const named = [...line.matchAll(/docs\/decisions\/(\d+)/gu)].map(([, number]) => number);
      const isVague = /^ *(\/\*)?\*.*\b(?<!\/)decisions(,| on) /u.test(line);
      return isVague || named.some((number) => !records.includes(number)) ? [`${path}:${at + 1}: ${line.trim()}`] : [];
    }),
  );
  expect(astray, 'A reader opens docs/decisions/NNN: write the name of an existing file.').toEqual([]);
});

test('every link between documents leads to a file and a heading', () => {
  const broken = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/gu)]
      .filter(([, file = '', anchor]) => {
        const target = file === '' ? path : join(dirname(path), file);
        if (!existsSync(join(root, target))) return true;
        return anchor !== undefined && !anchors(readFileSync(join(root, target), 'utf8')).includes(anchor);
      })
      .map(([link]) => `${path}: ${link}`),
  );
  expect(broken, 'The link leads to no file or heading: correct it.').toEqual([]);
});

test('the quickstart names each list that takes no `sort`, or begins with the oldest', () => {
  const { paths } = OpenApi.parse(JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')));
  const lists = Object.entries(paths).flatMap(([path, { get }]) => {
    const parameters = get?.parameters ?? [];
    const sort = parameters.find(({ name }) => name === 'sort')?.schema?.default ?? 'none';
    return parameters.some(({ name }) => name === 'cursor') ? [{ path, sort }] : [];
  });
  const quickstart = documents.find(({ path }) => path === 'docs/quickstart.md')?.text ?? '';
  const paragraph = quickstart.split('\n\n').find((text) => text.startsWith('Every list')) ?? '';
  const namedBy = (words: string) =>
    paragraph
      .split(/[;.]\s/u)
      .filter((statement) => statement.includes(words))
      .flatMap((statement) => [...statement.matchAll(/`…(\/[^`]+)`/gu)].map(([, end = '']) => end));
  for (const [words, kind] of [
    ['take no `sort`', 'none'],
    ['begins with the oldest', 'asc'],
  ] as const) {
    const ends = namedBy(words);
    const ofKind = lists.filter(({ sort }) => sort === kind).map(({ path }) => path);
    expect(ofKind.map((path) => ends.find((end) => path.endsWith(end)) ?? path)).toEqual(ends);
  }
});

test('every name of code that a document gives is in the code', () => {
  const code = [
    ...sources.flatMap(({ path, lines }) => [path, ...lines]),
    ...['package.json', 'cdk.json', 'docs/openapi.json', 'docs/github-actions.yml'].map((path) =>
      readFileSync(join(root, path), 'utf8'),
    ),
    ...globSync('tools/**/*.py', { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8')),
  ].join('\n');
  const known = new Set([
    ...(code.match(/[A-Za-z_][\w-]*/gu) ?? []),
    ...(code.match(/[A-Za-z_]\w*/gu) ?? []),
    ...(code.match(/[\w-]+\.[a-z]+/gu) ?? []),
    ...Object.values(externalNames).flat(),
  ]);
  const unknown = documents.flatMap(({ path, named: names }) =>
    names
      .filter((name) => /^[A-Za-z_][\w.-]*(?:\(\))?$/u.test(name))
      .map((name) => name.replace(/\(\)$/u, ''))
      .filter((name) => !known.has(name) && !name.split('.').every((part) => known.has(part)))
      .map((name) => `${path}: ${name}`),
  );
  expect(
    unknown,
    'It was renamed or deleted: correct the name, or add a name of other software to the list above.',
  ).toEqual([]);
});

test('a decision record has the parts What, Why and Rejected', () => {
  const missing = documents
    .filter(({ path }) => path.startsWith('docs/decisions/'))
    .flatMap(({ path, text }) =>
      ['**What.**', '**Why.**', '**Rejected'].filter((part) => !text.includes(part)).map((part) => `${path}: ${part}`),
    );
  expect(missing, 'Without its reason a decision is repeated or undone by chance.').toEqual([]);
});

test('docs/architecture.md shows every worker and every item of the table', () => {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const picture = text.slice(0, text.indexOf('## Where'));
  expect(
    workerNames.filter((name) => !picture.includes(name)),
    'The picture shows what runs: add the worker.',
  ).toEqual([]);
  const table = text.slice(text.indexOf('## The table'), text.indexOf('## Invariants'));
  expect(sortKeys.length).toBeGreaterThan(15);
  expect(
    [...keyWords, ...sortKeys].filter((word) => !new RegExp(`\\b${word}\\b`, 'u').test(table)),
    'The table of items has a row for each key that the code builds.',
  ).toEqual([]);
});

test('the helpers of these checks find names, file patterns and anchors in a document', () => {
  expect(spelledOut('shared/{a,b}-moves.ts')).toEqual(['shared/a-moves.ts', 'shared/b-moves.ts']);
  expect(spelledOut('shared/move-….ts')).toEqual(['shared/move-*.ts']);
  expect(spelledOut('functions/<area>/handler.ts')).toEqual(['functions/*/handler.ts']);
  expect(named('`one` and\n```\n`two`\n```\n`three`')).toEqual(['one', 'three']);
  expect(anchors('# What it does\n## 2. Who issues `tokens`?')).toEqual(['what-it-does', '2-who-issues-tokens']);
});

/** What stands in backticks, blocks of code left out. */
function named(text: string): readonly string[] {
  return [...text.replaceAll(/^```[\s\S]*?^```/gmu, '').matchAll(/`([^`\n]+)`/gu)].map(([, name = '']) => name);
}

/** `{a,b}` as both, `…` and `<name>` as anything. */
function spelledOut(name: string): readonly string[] {
  const [, before = '', choices, after = ''] = /^(.*)\{([^}]*)\}(.*)$/u.exec(name) ?? [];
  if (choices === undefined) return [name.replaceAll(/…|<[^>]*>/gu, '*')];
  return choices.split(',').flatMap((choice) => spelledOut(`${before}${choice}${after}`));
}

/** Anchors of a document's headings, as GitHub makes them. */
function anchors(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gmu)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

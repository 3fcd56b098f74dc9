import { expect, test } from 'vitest';
import type { Source } from './sources.ts';
import { inside, parseSource, sources, textsIn } from './sources.ts';

/** A sentence that is longer stands once; short ones such as `Must be a UUID.` are formulas. */
const shortText = 40;

test('a sentence to partners or operators stands in one file', () => {
  expect(
    repeated(sources.filter(({ path }) => inside('shared', 'functions', 'infra/aws', 'infra/operator')(path))),
    'A change of one sentence must not leave its copy behind. Move the sentence to a file that both files import.',
  ).toEqual([]);
});

test('this check sees what it looks for', () => {
  const refusal = "throw new Error('The account of the receiver does not exist any more.');";
  expect(repeated([parseSource('shared/a.ts', refusal), parseSource('shared/b.ts', refusal)])).toEqual([
    'The account of the receiver does not exist any more. (shared/a.ts, shared/b.ts)',
  ]);
});

/** Sentences, with their files, that more than one file holds. */
function repeated(files: readonly Source[]): readonly string[] {
  const found = Map.groupBy(
    files.flatMap(({ path, tree }) =>
      textsIn(tree)
        .map(({ text }) => text.slice(1, -1))
        .filter((text) => text.length > shortText && /^[A-Z].*\.$/u.test(text))
        .map((text) => ({ path, text })),
    ),
    ({ text }) => text,
  );
  return [...found].flatMap(([text, occurrences]) => {
    const paths = [...new Set(occurrences.map(({ path }) => path))];
    return paths.length > 1 ? [`${text} (${paths.join(', ')})`] : [];
  });
}

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Language } from '#tools/docs/drawings/languages.ts';
import type { Rejected } from '#tools/docs/guide/glossary.ts';
import { bcbNames, codeTerms, partnerTerms } from '#tools/docs/guide/glossary.ts';
import { root, sources, textsIn } from './sources.ts';

/** A sentence of a text, with the file that has it. */
type Sentence = { readonly path: string; readonly text: string };

const files: Readonly<Record<Language, { readonly documents: readonly string[]; readonly texts: RegExp }>> = {
  en: {
    documents: [
      'README.md',
      'CONTRIBUTING.md',
      ...globSync('docs/**/*.md', { cwd: root, exclude: ['docs/pt-BR/**', 'docs/decisions/**'] }),
    ],
    texts: /^packages\/console\/src\/page\/texts\/en/u,
  },
  'pt-BR': {
    documents: ['README.pt-BR.md', ...globSync('docs/pt-BR/**/*.md', { cwd: root })],
    texts: /^packages\/console\/src\/page\/texts\/pt-br/u,
  },
};

/** Sentences of the documents and of the console in a language. */
function sentencesIn(language: Language): readonly Sentence[] {
  const { documents, texts } = files[language];
  const written = documents.flatMap((path) =>
    sentencesOf(readFileSync(join(root, path), 'utf8')).map((text) => ({ path, text })),
  );
  const shown = sources
    .filter(({ path }) => texts.test(path))
    .flatMap(({ path, tree }) =>
      textsIn(tree).map(({ text }) => ({ path, text: text.replaceAll(/^['`]|['`]$/gu, '') })),
    )
    .filter(({ text }) => !/^(?:#|\.{1,2}\/)\S*$/u.test(text));
  return [...written, ...shown];
}

/** The prose of a document by sentences: without code, addresses, and the glossary, which names both languages. */
function sentencesOf(document: string): readonly string[] {
  return document
    .replaceAll(/<!-- terms -->[^]*?<!-- end -->/gu, '')
    .replaceAll(/^```[^]*?^```$/gmu, '')
    .replaceAll(/<code>.*?<\/code>|`[^`\n]*`|\]\([^)]*\)|https?:\S+|<!--.*?-->/gu, '…')
    .split(/\n(?=\s*(?:\||[-*] |\d+\. |#|\n))|(?<=[.!?:])\s+(?=\p{Lu}|\*)/u)
    .map((sentence) => sentence.replaceAll(/\s+/gu, ' ').trim())
    .filter((sentence) => sentence !== '');
}

function breaking(sentences: readonly Sentence[], rejected: readonly Rejected[]): readonly string[] {
  return sentences.flatMap(({ path, text }) =>
    rejected.some(({ word, unless }) => word.test(text) && unless?.test(text) !== true) ? [`${path}: ${text}`] : [],
  );
}

const sentences: Readonly<Record<Language, readonly Sentence[]>> = {
  en: sentencesIn('en'),
  'pt-BR': sentencesIn('pt-BR'),
};

test.each(partnerTerms.map((term) => ({ term, name: term.word.en })))(
  'the texts use no rejected word for $name',
  ({ term: { word, rejected = {} } }) => {
    for (const language of ['en', 'pt-BR'] as const)
      expect(breaking(sentences[language], rejected[language] ?? []), `Write ${word[language]}.`).toEqual([]);
  },
);

test.each(bcbNames)('the texts in Portuguese write $name as the BCB does', ({ name, rejected }) => {
  expect(breaking(sentences['pt-BR'], [{ word: rejected }]), `Write ${name}.`).toEqual([]);
});

test('every term of the glossary is used: a term that no text needs is deleted', () => {
  for (const language of ['en', 'pt-BR'] as const) {
    const all = sentences[language].map(({ text }) => text.toLowerCase()).join('\n');
    const unused = partnerTerms.map(({ word }) => word[language]).filter((word) => !all.includes(word));
    expect(unused).toEqual([]);
  }
  const terms = [...partnerTerms.map(({ word }) => word.en), ...codeTerms.map(([term]) => term)];
  expect(terms).toHaveLength(new Set(terms).size);
});

test('these checks see what they look for, in prose alone', () => {
  const text =
    'Uma `assinatura` vale.\n\n- A assinatura é\n  mensal. A assinatura\n  dos bytes é outra.\n\n```json\n"PIX"\n```\n';
  const found = sentencesOf(text).map((sentence) => ({ path: 'a.md', text: sentence }));
  const words = partnerTerms.find(({ word }) => word.en === 'subscription')?.rejected?.['pt-BR'] ?? [];
  expect(breaking(found, words)).toEqual(['a.md: - A assinatura é mensal.']);
  expect(breaking(found, [{ word: /PIX/u }])).toEqual([]);
  expect(sentences['pt-BR'].filter(({ path }) => path.startsWith('packages/')).length).toBeGreaterThan(200);
});

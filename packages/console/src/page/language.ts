import { signal } from '@preact/signals';
import type { Texts } from './texts/en.ts';
import { en } from './texts/en.ts';
import { ptBR } from './texts/pt-br.ts';

/** Every text of the page by its language. The type of the English one decides what the others must have. */
export const catalogue = { en, 'pt-BR': ptBR } as const satisfies Readonly<Record<string, Texts>>;

export type Language = keyof typeof catalogue;

/** The language that was chosen here before, else the browser's first one that there is. */
export function firstLanguage(chosen: string | null, preferred: readonly string[]): Language {
  const known = [...(chosen === null ? [] : [chosen]), ...preferred].map((code) => code.toLowerCase().split('-')[0]);
  const found = known.find((code) => code === 'pt' || code === 'en');
  return found === 'pt' ? 'pt-BR' : 'en';
}

export const language = signal<Language>('en');

/** The texts in the language of the page. A part that shows one is drawn again when the language changes. */
export function t(): Texts {
  return catalogue[language.value];
}

import { signal } from '@preact/signals';
import type { Texts } from './texts/en.ts';
import { en } from './texts/en.ts';
import { ptBR } from './texts/pt-br.ts';

/** All texts of the page, by language. The type of the English texts defines which texts each language must have. */
export const catalogue = { en, 'pt-BR': ptBR } as const satisfies Readonly<Record<string, Texts>>;

export type Language = keyof typeof catalogue;

/**
 * Returns the language that the user chose before. Without a valid choice returns the first language of the browser
 * that the page has, and otherwise English.
 */
export function firstLanguage(chosen: string | null, preferred: readonly string[]): Language {
  const known = [...(chosen === null ? [] : [chosen]), ...preferred].map((code) => code.toLowerCase().split('-')[0]);
  const found = known.find((code) => code === 'pt' || code === 'en');
  return found === 'pt' ? 'pt-BR' : 'en';
}

export const language = signal<Language>('en');

/** Returns the texts in the current language. A component that calls this renders again when the language changes. */
export function t(): Texts {
  return catalogue[language.value];
}

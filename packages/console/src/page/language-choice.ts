import type { Language } from './language.ts';
import { firstLanguage, language } from './language.ts';

/** Where the browser keeps the choice. */
const kept = 'language';

/** Takes the language up, with what the browser must know of it. */
export function speak(chosen: Language): void {
  language.value = chosen;
  document.documentElement.lang = chosen;
}

/** Changes the language and keeps the choice for the next visit. */
export function switchLanguage(chosen: Language): void {
  speak(chosen);
  localStorage.setItem(kept, chosen);
}

/** The language to begin with. */
export function readLanguage(): Language {
  return firstLanguage(localStorage.getItem(kept), navigator.languages);
}

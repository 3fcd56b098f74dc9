import type { Language } from './language.ts';
import { firstLanguage, language } from './language.ts';

/** Key of the choice in the browser's local storage. */
const kept = 'language';

/** Sets the language of the page, also in the document's `lang` attribute. */
export function speak(chosen: Language): void {
  language.value = chosen;
  document.documentElement.lang = chosen;
}

/** Changes the language and keeps the choice for the next visit. */
export function switchLanguage(chosen: Language): void {
  speak(chosen);
  localStorage.setItem(kept, chosen);
}

/** Returns the initial language: the saved choice, else by the browser's languages. */
export function readLanguage(): Language {
  return firstLanguage(localStorage.getItem(kept), navigator.languages);
}

import { isHelpOpen, menu } from './frame.tsx';
import { go, linkTo } from './route.ts';

/** After `g` the next key names a screen, within this time, milliseconds. */
const pairMs = 1200;
let goAt = -Infinity;

/** Handles the shortcuts of the page. Ignores keys typed into a field or pressed with Ctrl, Alt or Meta. */
export function listenToKeys(): void {
  addEventListener('keydown', (event) => {
    const { target, key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey || isHelpOpen.value) return;
    if (target instanceof HTMLElement && target.closest('input, textarea, select') !== null) return;
    const isSecond = event.timeStamp - goAt < pairMs;
    goAt = -Infinity;
    const found = isSecond ? menu.find((entry) => entry.key === key) : undefined;
    if (found !== undefined) go(linkTo(found.screen === '' ? [] : [found.screen]));
    else if (key === 'g') goAt = event.timeStamp;
    else if (key === 'n') go(linkTo(['new']));
    else if (key === '?') isHelpOpen.value = true;
    else if (key === '/') {
      event.preventDefault();
      document.querySelector<HTMLInputElement>('#search')?.focus();
    }
  });
}

import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ask, changes, environment, notice } from './api.ts';
import { showInstant } from './format.ts';
import type { Language } from './language.ts';
import { catalogue, language, t } from './language.ts';
import { FieldErrors } from './parts/basics.tsx';
import { aheadMs } from './parts/times.tsx';
import { go, linkTo, route } from './route.ts';
import { switchLanguage } from './language-choice.ts';

/** A screen of the menu: its key after `g`, and the path of its icon. */
type Entry = { readonly screen: string; readonly key: string; readonly icon: string };

export const menu: readonly Entry[] = [
  { screen: '', key: 'h', icon: 'M3 8.5 8 4l5 4.5V13H9.5v-3h-3v3H3z' },
  { screen: 'subscriptions', key: 'o', icon: 'M3 4h10M3 8h10M3 12h6' },
  { screen: 'credits', key: 'u', icon: 'M8 2.5v7M5 6.5l3 3 3-3M3 12.5h10' },
  { screen: 'disputes', key: 'i', icon: 'M8 2.5 14 13H2zM8 6.5v3M8 11v.5' },
  { screen: 'phone', key: 'p', icon: 'M5 2.5h6v11H5zM7 11.5h2' },
  { screen: 'deliveries', key: 'd', icon: 'M2.5 8 13.5 3l-4 10.5L7.5 9z' },
  { screen: 'webhooks', key: 'w', icon: 'M5 6.5a3 3 0 1 1 5 2l1.5 3M6 5l-2 5M4.5 11.5h6' },
  { screen: 'ledger', key: 'l', icon: 'M3 3h10v10H3zM3 6.5h10M7.5 6.5V13' },
  { screen: 'clock', key: 'c', icon: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 5v3l2 1.5' },
  { screen: 'requests', key: 'r', icon: 'M4 5 2 8l2 3M12 5l2 3-2 3M9 3.5l-2 9' },
];

const orders = new Set(['subscriptions', 'pay-ins', 'payouts', 'new', 'search']);
const isMenuOpen = signal(false);
export const isHelpOpen = signal(false);

addEventListener('hashchange', () => {
  isMenuOpen.value = false;
});

/** Returns the name of the environment by its host; a local one is marked as local. */
function environmentName(baseUrl: string): string {
  const { hostname, host } = new URL(baseUrl);
  return hostname === '127.0.0.1' || hostname === 'localhost' ? `${t().frame.local} · ${host}` : host;
}

/** Shows the environment, the company, the search, the clock and the language. */
export function Top() {
  const { companyId, screen } = route.value;
  const known = environment.value;
  const companies = known?.companies ?? [];
  return (
    <header>
      <button
        type="button"
        class="burger"
        aria-expanded={isMenuOpen.value}
        aria-controls="menu"
        onClick={() => {
          isMenuOpen.value = !isMenuOpen.value;
        }}
      >
        <Icon path="M3 4.5h10M3 8h10M3 11.5h10" />
        <span class="unseen">{t().frame.menu}</span>
      </button>
      <div class="brand">
        <strong>{t().frame.product}</strong>
        {known && <span class="environment">{environmentName(known.baseUrl)}</span>}
      </div>
      <label class="company">
        <span class="unseen">{t().frame.company}</span>
        <select
          value={companyId}
          onChange={({ currentTarget }) => {
            go(`#/${currentTarget.value}/${orders.has(screen) ? 'subscriptions' : screen}`);
          }}
        >
          {companies.map(({ companyId: id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Search />
      <Ahead />
      <LanguageSwitch />
      <button
        type="button"
        class="icon"
        aria-label={t().frame.keyboard}
        onClick={() => {
          isHelpOpen.value = true;
        }}
      >
        ?
      </button>
    </header>
  );
}

function Search() {
  const text = route.value.screen === 'search' ? (route.value.query['text'] ?? '') : '';
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const written = new FormData(event.currentTarget).get('text');
        if (typeof written === 'string' && written.trim() !== '') go(linkTo(['search'], { text: written.trim() }));
      }}
    >
      <input
        id="search"
        key={text}
        name="text"
        type="search"
        defaultValue={text}
        autocomplete="off"
        spellcheck={false}
        aria-label={t().frame.search}
        placeholder={t().frame.searchHint}
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
}

/** Shows how far the company's clock is ahead of real time, because the dates on the screen follow it. */
function Ahead() {
  const { companyId } = route.value;
  const turn = changes.value;
  const isKnown = environment.value?.companies.some((company) => company.companyId === companyId) === true;
  useEffect(() => {
    let gone = false;
    if (!isKnown) return undefined;
    // Production has no clock to set: there the request fails.
    ask({ operation: 'getClock' }).then(
      ({ offsetSeconds }) => {
        if (!gone) aheadMs.value = offsetSeconds * 1000;
      },
      () => {
        if (!gone) aheadMs.value = 0;
      },
    );
    return () => {
      gone = true;
    };
  }, [companyId, isKnown, turn]);
  if (aheadMs.value === 0) return null;
  const days = Math.floor(aheadMs.value / 86_400_000);
  return (
    <a class="ahead" href={linkTo(['clock'])} title={showInstant(new Date(Date.now() + aheadMs.value).toISOString())}>
      {days === 0 ? t().frame.aheadHours : t().frame.aheadDays(days)}
    </a>
  );
}

const names: Readonly<Record<Language, string>> = { en: 'EN', 'pt-BR': 'PT' };

function LanguageSwitch() {
  return (
    <div class="languages" role="group" aria-label={t().frame.language}>
      {(Object.keys(catalogue) as Language[]).map((code) => (
        <button
          key={code}
          type="button"
          lang={code}
          aria-pressed={code === language.value}
          onClick={() => {
            switchLanguage(code);
          }}
        >
          <span aria-hidden="true">{names[code]}</span>
          <span class="unseen">{catalogue[code].languageName}</span>
        </button>
      ))}
    </div>
  );
}

export function Menu() {
  const { screen } = route.value;
  const current = orders.has(screen) ? 'subscriptions' : screen;
  const titles: Readonly<Record<string, string>> = t().menu;
  return (
    <nav id="menu" class={isMenuOpen.value ? 'menu open' : 'menu'} aria-label={t().frame.screens}>
      {menu.map(({ screen: name, icon }) => (
        <a key={name} href={linkTo(name === '' ? [] : [name])} aria-current={name === current ? 'page' : undefined}>
          <Icon path={icon} />
          {titles[name === '' ? 'home' : name]}
        </a>
      ))}
    </nav>
  );
}

function Icon({ path }: { path: string }) {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" class="glyph">
      <path d={path} />
    </svg>
  );
}

/** Shows the outcome of the last action, also to a screen reader. */
export function Foot() {
  const said = notice.value;
  return (
    <div role="status" class={said === undefined ? 'foot empty' : said.ok ? 'foot good' : 'foot bad'}>
      {said && (
        <>
          <span>{said.text}</span>
          <FieldErrors of={said.details} />
          {said.requestId !== undefined && <small>{t().frame.request(said.requestId)}</small>}
          <button
            type="button"
            onClick={() => {
              notice.value = undefined;
            }}
            aria-label={t().frame.closeMessage}
          >
            ×
          </button>
        </>
      )}
    </div>
  );
}

/** Lists the keyboard shortcuts. */
export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = isHelpOpen.value;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  const titles: Readonly<Record<string, string>> = t().menu;
  const { keyboard, toSearch, toHelp, toNew, toGo, close } = t().frame;
  const keys = [
    ['/', toSearch],
    ['?', toHelp],
    ['n', toNew],
    ...menu.map(({ screen, key }) => [`g ${key}`, toGo(titles[screen === '' ? 'home' : screen] ?? '')] as const),
  ] as const;
  const shut = (): void => {
    isHelpOpen.value = false;
  };
  return (
    <dialog ref={dialog} aria-label={keyboard} onClose={shut}>
      <h2>{keyboard}</h2>
      <dl class="keys">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              {key.split(' ').map((stroke) => (
                <kbd key={stroke}>{stroke}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" class="primary" onClick={shut}>
        {close}
      </button>
    </dialog>
  );
}

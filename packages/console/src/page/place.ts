import { signal } from '@preact/signals';

/** Where the page is, as its address says: `#/{companyId}/{screen}/…?…`. Every screen can be shared by it. */
type Place = {
  readonly companyId: string;
  readonly screen: string;
  readonly rest: readonly string[];
  readonly query: Readonly<Record<string, string>>;
};

export const place = signal<Place>(readPlace(location.hash));

addEventListener('hashchange', () => {
  place.value = readPlace(location.hash);
});

function readPlace(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/u, '').split('?');
  const [companyId = '', screen = '', ...rest] = path.split('/').map(decodeURIComponent);
  return { companyId, screen, rest, query: Object.fromEntries(new URLSearchParams(query)) };
}

/** The address of a screen of the company that is looked at, for links. */
export function linkTo(parts: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const path = [place.value.companyId, ...parts].map(encodeURIComponent).join('/');
  const given = Object.entries(query).filter(([, value]) => value !== '');
  return `#/${path}${given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`}`;
}

export function go(link: string): void {
  location.hash = link;
}

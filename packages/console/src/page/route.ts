import { signal } from '@preact/signals';

/** The current screen, from the address `#/{companyId}/{screen}/…?…`. Every screen can be shared by its address. */
type Route = {
  readonly companyId: string;
  readonly screen: string;
  readonly rest: readonly string[];
  readonly query: Readonly<Record<string, string>>;
};

export const route = signal<Route>(readRoute(location.hash));

addEventListener('hashchange', () => {
  route.value = readRoute(location.hash);
});

function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/u, '').split('?');
  const [companyId = '', screen = '', ...rest] = path.split('/').map(decodeURIComponent);
  return { companyId, screen, rest, query: Object.fromEntries(new URLSearchParams(query)) };
}

/** Returns the address of a screen of the current company. */
export function linkTo(parts: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const path = [route.value.companyId, ...parts].map(encodeURIComponent).join('/');
  const given = Object.entries(query).filter(([, value]) => value !== '');
  return `#/${path}${given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`}`;
}

export function go(link: string): void {
  location.hash = link;
}

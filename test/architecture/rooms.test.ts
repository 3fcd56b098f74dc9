import { expect, test } from 'vitest';
import { inside, sources } from './sources.ts';

/** The rooms of shared/, each above those that it may know. */
const ranks = [
  'core',
  'contract',
  'platform',
  'accounts',
  'bank',
  'access',
  'disputes',
  'credits',
  'pay-ins',
  'payouts',
  'refunds',
  'certificates',
  'subscriptions',
  'scheduled-payments',
  'pix-keys',
  'webhooks',
  'jobs',
  'bank-events',
  'sandbox',
];
const roomOf = (path: string): string | undefined => /^shared\/([^/]+)\//u.exec(path)?.[1];

test('every folder of shared has its rank', () => {
  const rooms = new Set(sources.flatMap(({ path }) => (inside('shared')(path) ? [roomOf(path)] : [])));
  expect([...rooms].toSorted()).toEqual(ranks.toSorted());
});

test('a folder of shared imports itself and the folders below it, and no type of those above', () => {
  const found = sources.flatMap(({ path, imports }) => {
    const own = ranks.indexOf(roomOf(path) ?? '');
    return imports
      .filter(({ specifier, from }) => {
        // `#sandbox` and `#company-due` name a file of the sandbox where a build has one: they are the one way in.
        const isSwitch = specifier === '#sandbox' || specifier === '#company-due';
        return own >= 0 && !isSwitch && ranks.indexOf(roomOf(from) ?? '') > own;
      })
      .map(({ from, line }) => `${path}:${line} imports ${from}`);
  });
  expect(found, 'Move the shared code to the lower folder, or pass it as an argument.').toEqual([]);
});

test('only the tools, their worker and their documents import the sandbox', () => {
  const allowed = inside(
    'shared/sandbox',
    'functions/order-tools',
    'functions/workers/run-company-jobs',
    'infra',
    'packages/local-environment',
    'test',
    'tools',
  );
  const found = sources
    .filter(({ path }) => !allowed(path))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier, from }) => inside('shared/sandbox')(from) && !specifier.startsWith('#sandbox'))
        .filter(({ specifier }) => specifier !== '#company-due')
        .map(({ from, line }) => `${path}:${line} imports ${from}`),
    );
  expect(found, 'Production has no code of the sandbox: import it by `#sandbox`, which a build chooses.').toEqual([]);
});

test('no folder has more than 24 files', () => {
  const counts = new Map<string, number>();
  for (const { path } of sources.filter(({ path }) =>
    inside('shared', 'functions', 'infra', 'packages', 'tools')(path),
  )) {
    const folder = path.slice(0, path.lastIndexOf('/'));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  expect([...counts].filter(([, count]) => count > 24)).toEqual([]);
});

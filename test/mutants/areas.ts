import { globSync } from 'node:fs';

/**
 * What `npm run mutants` changes without a name: rules whose silent change would cost money or trust, by area, with the
 * smallest first.
 */
export const areas: Readonly<Record<string, readonly string[]>> = {
  signature: ['shared/webhooks/dispatch/signature.ts'],
  ledger: ['shared/platform/ledger/*.ts'],
  'commit and idempotency': ['shared/platform/{commit,commit-transition,idempotency,idempotent-create}.ts'],
  outbox: ['shared/platform/outbox/*.ts'],
  'target guard': ['shared/webhooks/dispatch/target-guard.ts', 'shared/webhooks/url.ts'],
  'tables of transitions': [
    'shared/core/transition.ts',
    'shared/{pay-ins,payouts,refunds,subscriptions,scheduled-payments,pix-keys}/states.ts',
    'shared/webhooks/deliveries/states.ts',
  ],
  dispatch: ['shared/webhooks/dispatch/{call,connect,deliver,queue,report,sender,sweep}.ts'],
  'domain rules': ['shared/core/!(transition).ts', 'shared/core/br-code/*.ts'],
};

const rooms =
  'access,accounts,bank,contract,core,model,pay-ins,payouts,pix-keys,platform,refunds,sandbox,scheduled-payments,subscriptions,webhooks';

/** The tests that judge: those without an engine. A mutant that only others would notice is not covered. */
export const judges: readonly string[] = [
  `test/{${rooms}}/**/*.test.ts`,
  'test/table/{commit,cursor,journey-units,listing-bounds}.test.ts',
];

/** The files of an area, as paths from the root. */
export const filesOfArea = (root: string, area: string): readonly string[] =>
  (areas[area] ?? []).flatMap((pattern) => globSync(pattern, { cwd: root }).toSorted());

/** The files of all areas, as paths from the root. */
export const filesOfAreas = (root: string): readonly string[] =>
  Object.keys(areas).flatMap((area) => filesOfArea(root, area));

import { existsSync, globSync } from 'node:fs';

/** Files to change, and the tests that judge: what only distant tests notice is as good as untested. */
type Area = { readonly files: readonly string[]; readonly tests: readonly string[] };

/**
 * What `npm run tool -- test/mutants/main.ts` changes without a name: rules whose silent change would cost money or
 * trust.
 */
const areas: Readonly<Record<string, Area>> = {
  signature: { files: ['shared/webhooks/dispatch/signature.ts'], tests: ['test/webhooks/signature*.test.ts'] },
  ledger: {
    files: ['shared/platform/ledger/*.ts', 'shared/accounts/model.ts'],
    tests: ['test/{accounts,contract,pix-keys,refunds}/*.test.ts', 'test/platform/ledger.test.ts'],
  },
  'commit and idempotency': {
    files: ['shared/platform/{commit,commit-transition,idempotency,idempotent-create}.ts'],
    tests: [
      'test/platform/{commit,commit-transition,idempotent-create,refused-creations}.test.ts',
      'test/table/commit.test.ts',
    ],
  },
  'target guard': {
    files: ['shared/platform/target-guard.ts'],
    tests: ['test/webhooks/{forbidden-addresses,resolver,settings*,target-guard}.test.ts'],
  },
  'tables of transitions': {
    files: [
      'shared/core/transition.ts',
      'shared/{pay-ins,payouts,refunds,disputes,subscriptions,scheduled-payments,pix-keys}/states.ts',
      'shared/webhooks/deliveries/states.ts',
    ],
    tests: [
      'test/core/transitions.test.ts',
      'test/{pay-ins,payouts,refunds,disputes,subscriptions,scheduled-payments,pix-keys}/{,payment-}states.test.ts',
      'test/pix-keys/registration.test.ts',
      'test/webhooks/{deliver*,drain*,resends,retry-schedule,sweep*}.test.ts',
    ],
  },
  outbox: {
    files: ['shared/platform/outbox/*.ts'],
    tests: ['test/platform/outbox.test.ts', 'test/webhooks/{deliver*,drain*,relay*,sweep*}.test.ts'],
  },
  dispatch: {
    files: ['shared/webhooks/dispatch/{call,deliver,queue,report,sweep}.ts'],
    tests: ['test/webhooks/{deliver*,drain*,relay*,retry-schedule,sweep*}.test.ts'],
  },
  sender: {
    files: ['shared/webhooks/dispatch/sender.ts'],
    tests: ['test/webhooks/{resolver,sender*}.test.ts'],
  },
  'domain rules': {
    files: ['shared/core/!(transition).ts', 'shared/core/br-code/*.ts'],
    tests: ['test/core/**/*.test.ts', 'test/contract/*.test.ts', 'test/bank/directory.test.ts'],
  },
};

/** The tests that judge a file of no area: those without an engine. */
const rooms =
  'access,accounts,bank,contract,core,credits,disputes,model,bank-events,pay-ins,payouts,pix-keys,platform,refunds,sandbox,scheduled-payments,subscriptions,webhooks';
for (const room of rooms.split(','))
  if (!existsSync(`test/${room}`)) throw new Error(`test/mutants/areas.ts names test/${room}, which does not exist.`);
const otherTests = [`test/{${rooms}}/**/*.test.ts`, 'test/table/{commit,cursor,journey-units,listing-bounds}.test.ts'];

/** The files of an area, as paths from the root. */
export const filesOfArea = (root: string, area: string): readonly string[] =>
  (areas[area]?.files ?? []).flatMap((pattern) => globSync(pattern, { cwd: root }).toSorted());

/** The files of all areas, as paths from the root. */
export const filesOfAreas = (root: string): readonly string[] =>
  Object.keys(areas).flatMap((area) => filesOfArea(root, area));

/** The name of a file's area; `other` for a file of none. */
export function areaNames(root: string): (file: string) => string {
  const names = Object.keys(areas).flatMap((area) => filesOfArea(root, area).map((file) => [file, area] as const));
  const byFile = new Map(names);
  return (file) => byFile.get(file) ?? 'other';
}

/** Patterns of the tests that judge the files of an area. */
export const testsOfArea = (area: string): readonly string[] => areas[area]?.tests ?? otherTests;

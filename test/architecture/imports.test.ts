import { expect, test } from 'vitest';
import type { Source } from './sources.ts';
import { inside, isEntry, isOfTests, packageOf, parseSource, sources } from './sources.ts';

/** What nothing imports on purpose: it is called by its name. */
const calledByName: readonly { readonly where: RegExp; readonly names: readonly string[]; readonly why: string }[] = [
  { where: /^functions\/.*\/handler\.ts$/u, names: ['handler'], why: 'Lambda calls it.' },
  { where: /^packages\/partner-tools\/src\/caller\/handler\.ts$/u, names: ['handler'], why: 'Lambda calls it.' },
  { where: /^functions\/.*\/contract\.ts$/u, names: ['example'], why: 'The document reads it with the contract.' },
  {
    where: /^packages\/cdk-local\/test\/probe\/functions\//u,
    names: ['handler'],
    why: 'The local environment calls it.',
  },
  { where: /^test\/bench\/floor\/bare-function\.ts$/u, names: ['handler'], why: 'The bench bundles it.' },
  { where: /^test\/support\/environment-setup\.ts$/u, names: ['setup', 'teardown'], why: 'Vitest calls them.' },
  { where: /^infra\/aws\/cli-plugin\.ts$/u, names: ['version', 'init'], why: 'The CDK CLI loads it by cdk.json.' },
  { where: /^tools\/lint\//u, names: ['staleArguments'], why: 'eslint.config.js names it.' },
  {
    where: /^packages\/partner-tools\/src\/sdk\//u,
    names: [
      ...['configure', 'Connection', 'simulating', 'Simulated', 'BankingOrderError', 'FieldError'],
      ...['errorOf', 'signNotification', 'each'],
    ],
    why: 'The module of the kit imports them, a text until it is packed (tools/kit/pack.ts).',
  },
];
/** What only tests import, beside operations and types, by the reason for it. */
const onlyTestsImport: Readonly<Record<string, readonly string[]>> = {
  'A number or table that partners are told: tests and documents are compared with it.': [
    'bundles',
    'acknowledgements',
    'maxCallbackBytes',
    'maxDepth',
    'lastClockTime',
    'maxRefunds',
    'maxReturns',
    'maxRetries',
    'maxSlowMs',
    'heldAtMostSeconds',
    'realTimeKinds',
  ],
  'A part with rules of its own, tested by itself: through its file alone its cases cannot be told apart.': [
    'compilePattern',
    'deliver',
    'chargeRejectionCodes',
    'settlementErrorCodes',
    'slowCallsAtOnce',
    'takeSlot',
    'partitions',
    'dynamoStore',
    'hoursInUtc',
    'zippedBytes',
    'readApiUrl',
    'onboard',
    'schemaOf',
    'showQrCode',
    'missingStandIns',
    'notJudged',
    'findPython',
    'describeRange',
    'refuseUnwatched',
    'createThrottle',
    'readScheduleExpression',
    'checkJava',
    'checkPlatform',
    'jars',
    'isInstalled',
    'isLoopback',
    'listenersOf',
    'processesWith',
    'readListeners',
    'readFailures',
    'readResults',
    'faultsOn',
    'isChildOrderId',
    'cycleStart',
    'isExecutable',
    'doJob',
    'workJobs',
    'codeText',
    'sendKeyCode',
    'isBankingDay',
    'accountItem',
    'accountKeyInserts',
    'pacedScan',
    'changedIn',
    'runCommandLine',
    'metricNames',
  ],
  'What a program writes, into docs/ or beside a release: tests hold it to the files and to the service.': [
    'operationErrors',
    'recordedErrors',
    'statusesOfOperation',
    'signatureVectors',
    'billOfMaterials',
    'bundledPackages',
    'notAllowed',
  ],
  'The other half of what is used, kept beside it so that the two cannot part.': [
    'payingBankOf',
    'receivedAt',
    'inOneEnvironment',
  ],
  'Benchmarks and the test of bundles give functions the variables that a deployment gives them.': ['variableValues'],
  'The tool and the test of bundles judge by one bar.': ['barBytes'],
  'vitest.config.ts reads it, which is none of these sources.': ['atBanks'],
};

test('every export is imported by another file', () => {
  // The simulation's hooks put these in the places of other modules, under whose names they are imported.
  const isInPlace = inside('test/simulation/fakes');
  expect(
    unused(sources)
      .filter(({ path }) => !isInPlace(path))
      .map(({ path, name }) => `${path}: ${name}`),
    'An export has an importer. Without one delete `export`, or the declaration itself.',
  ).toEqual([]);
});

test('every export of shared, functions, infra and packages is imported by a file other than a test', () => {
  const found = unused(throughEntries(sources.filter(({ path }) => !isOfTests(path)))).filter(
    ({ path, name }) => !isOperation(path) && !isType(path, name),
  );
  const listed = Object.values(onlyTestsImport).flat();
  expect(
    listed.filter((one) => !found.some(({ name }) => name === one)),
    'Remove a declaration that is used again or deleted from the list.',
  ).toEqual([]);
  expect(
    found.filter(({ name }) => !listed.includes(name)).map(({ path, name }) => `${path}: ${name}`),
    'Move a declaration that only tests need to test/, test it through its users, or give its reason above.',
  ).toEqual([]);
});

test('no file imports itself through other files, not even for a type', () => {
  expect(
    circlesOf(sources),
    'Files that import each other cannot be read, tested or moved alone. Move their shared part to a file of its own.',
  ).toEqual([]);
});

test('an import that leaves its top folder or climbs two levels begins with #', () => {
  const why = 'A path says where a thing is, and stays true when the file that imports it moves.';
  const found = sources.flatMap(({ path, imports }) =>
    imports
      .filter(({ specifier, from }) => {
        if (!specifier.startsWith('.') || from === 'package.json') return false;
        return specifier.startsWith('../../') || topOf(from) !== topOf(path);
      })
      .map(({ specifier, line }) => `${path}:${line}: ${specifier}`),
  );
  expect(found, why).toEqual([]);
});

test('these checks find a circle of imports and an unused export', () => {
  const one = parseSource('shared/one.ts', "import type { Two } from './two.ts';\nexport const used = 1, idle = 2;");
  const two = parseSource('shared/two.ts', "import { used } from './one.ts';\nexport type Two = typeof used;");
  expect(circlesOf([one, two])).toEqual(['shared/one.ts → shared/two.ts → shared/one.ts']);
  expect(unused([one, two])).toEqual([{ path: 'shared/one.ts', name: 'idle' }]);
});

/** The top folder of a file: in a package `src` or `test` of that package. */
function topOf(path: string): string {
  return path
    .split('/')
    .slice(0, packageOf(path) === undefined ? 1 : 3)
    .join('/');
}

/** The same files without the entries of packages: who imports from an entry imports from the file behind it. */
function throughEntries(files: readonly Source[]): readonly Source[] {
  const behind = new Map(
    files
      .filter(({ path }) => isEntry(path))
      .flatMap(({ path, imports }) =>
        imports.flatMap(({ from, names }) => names.map((name) => [`${path} ${name}`, from] as const)),
      ),
  );
  return files
    .filter(({ path }) => !isEntry(path))
    .map((source) => ({
      ...source,
      imports: source.imports.flatMap((one) =>
        isEntry(one.from)
          ? one.names.map((name) => ({ ...one, names: [name], from: behind.get(`${one.from} ${name}`) ?? one.from }))
          : [one],
      ),
    }));
}

/** A handler file's operation, without Lambda and HTTP: tests call it, and the handler beside it is made of it. */
function isOperation(path: string): boolean {
  return /^functions\/.*\/handler\.ts$/u.test(path);
}

/** A type names an argument or a result of an exported function, also when only a test has to spell it. */
function isType(path: string, name: string): boolean {
  return sources.some(
    (source) => source.path === path && source.exports.some((one) => one.name === name && one.isType),
  );
}

function isCalledByName(path: string, name: string): boolean {
  return calledByName.some(({ where, names }) => where.test(path) && names.includes(name));
}

/** Exports that no other of these files imports. */
function unused(files: readonly Source[]): readonly { readonly path: string; readonly name: string }[] {
  const used = new Set(
    files.flatMap(({ path, imports }) =>
      imports.flatMap(({ from, names }) => (from === path ? [] : names.map((name) => `${from} ${name}`))),
    ),
  );
  return files.flatMap(({ path, exports }) =>
    exports
      .filter(({ name }) => !used.has(`${path} ${name}`) && !used.has(`${path} *`) && !isCalledByName(path, name))
      .map(({ name }) => ({ path, name })),
  );
}

/** One way around for each file that is reached again from itself, each circle listed once, from its first file. */
function circlesOf(files: readonly Source[]): readonly string[] {
  const next = new Map(files.map(({ path, imports }) => [path, imports.map(({ from }) => from)]));
  const wayBack = (start: string): readonly string[] | undefined => {
    const ways: (readonly string[])[] = [[start]];
    const seen = new Set<string>();
    for (let way = ways.shift(); way !== undefined; way = ways.shift())
      for (const to of next.get(way.at(-1) ?? '') ?? []) {
        if (to === start) return [...way, to];
        if (!next.has(to) || seen.has(to)) continue;
        seen.add(to);
        ways.push([...way, to]);
      }
    return undefined;
  };
  const circles = files.flatMap(({ path }) => {
    const way = wayBack(path);
    return way === undefined ? [] : [way];
  });
  const reported = new Set<string>();
  return circles.flatMap((way) => {
    const members = way.slice(1).toSorted().join(' ');
    if (reported.has(members)) return [];
    reported.add(members);
    return [way.join(' → ')];
  });
}

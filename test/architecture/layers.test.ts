import { expect, test } from 'vitest';
import ts from 'typescript';
import { keyWords } from './key-words.ts';
import type { Rule } from './sources.ts';
import {
  broken,
  importing,
  inside,
  isOfTests,
  isText,
  lineOf,
  matching,
  nodesOf,
  outside,
  sources,
  textsIn,
} from './sources.ts';

const own = (from: string): boolean => inside('shared', 'functions', 'infra', 'packages', 'test', 'tools')(from);
const isPublished = (from: string): boolean =>
  from === 'functions/transitions.ts' ||
  from === 'shared/webhooks/dispatch/signature.ts' ||
  /^functions\/.*\/contract\.ts$/u.test(from);
/** Check digits and bank numbers: functions of their arguments. */
const pureLibrary = '@brazilian-utils/brazilian-utils/';
/** Rules of a resource: functions of their arguments, in `model.ts`, `states.ts` and the files cut from them. */
const rulesOf: Readonly<Record<string, string>> = {
  accounts: 'model',
  'pay-ins': 'model states',
  payouts: 'model states target ted-calendar',
  refunds: 'model states',
  subscriptions: 'model states',
  'scheduled-payments': 'model states cycle window',
  'pix-keys': 'model states quota',
  webhooks: 'settings deliveries/states health/circuit backlog/model',
  platform: 'ledger/balance outbox/delivery',
  bank: 'owner-bank',
  sandbox: 'clock',
};
const pureFiles = Object.entries(rulesOf).flatMap(([room, names]) =>
  names.split(' ').map((name) => `shared/${room}/${name}.ts`),
);
const isPure = (from: string): boolean =>
  inside('shared/core')(from) || from === 'functions/transitions.ts' || pureFiles.includes(from);
/** What is published of shapes: the room of contracts, and each resource's own with their examples. */
const isContract = (from: string): boolean =>
  inside('shared/contract')(from) ||
  /^shared\/[^/]+\/(?:[a-z-]*contract|[a-z-]*examples|payment-data|tool)\.ts$/u.test(from) ||
  /^shared\/webhooks\/(?:notification|url)\.ts$/u.test(from);
const code = ['shared', 'functions'];
const everything = ['shared', 'functions', 'infra', 'packages', 'test', 'tools'];

const rules: Readonly<Record<string, Rule>> = {
  'rules import rules and pure libraries': {
    why: 'Rules must be readable and testable without AWS, schemas, clocks and I/O. Pass what is needed as an argument.',
    where: isPure,
    breaks: importing((from) => !isPure(from) && !from.startsWith(pureLibrary)),
  },
  'rules know no present, no chance and no environment': {
    why: 'The same input must give the same output. Take a Clock or Ids as an argument.',
    where: isPure,
    breaks: matching(/Date\.now|new Date\(\)|Math\.random|\bcrypto\b|\bprocess\b|\bfetch\(|\bawait\b|setTimeout/u),
  },
  'the AWS SDK is behind the table and the workers': {
    why: 'Operations talk to the Store and the Bank, so that they run in a test as they run on AWS.',
    where: outside(
      code,
      'shared/platform/table',
      'shared/pix-keys/codes/amazon-sender.ts',
      'shared/bank/secret.ts',
      'functions/workers',
    ),
    breaks: importing((from) => from.startsWith('@aws-sdk/') || from.startsWith('@smithy/')),
  },
  'SQS is written by the relay alone': {
    why: 'A delivery reaches the queue from the table’s stream and on no other way: then none can be lost between the two.',
    where: outside(code, 'functions/workers/relay-deliveries', 'functions/workers/receive-callbacks'),
    breaks: matching(/SendMessage/u),
  },
  'no module does anything by being imported': {
    why: 'A bundle leaves out modules of which nothing is used (`sideEffects` in package.json): what they did would be gone.',
    where: inside(...code),
    breaks: ({ tree }) =>
      tree.statements
        .filter((statement) => ts.isExpressionStatement(statement) || isImportOfNothing(statement))
        .map((statement) => ({ line: lineOf(statement), what: statement.getText() })),
  },
  'middy is in the endpoint wrapper alone': {
    why: 'Operations are plain functions; shared/platform/http/endpoint.ts gives them their HTTP.',
    where: outside(everything, 'shared/platform/http'),
    breaks: importing((from) => from.startsWith('@middy/')),
  },
  'CDK is in infra alone': {
    why: 'What runs where is infra’s; a function must not carry it.',
    where: inside('shared', 'functions'),
    breaks: importing(
      (from) =>
        from.startsWith('aws-cdk-lib') || from === 'constructs' || inside('infra', 'packages', 'test', 'tools')(from),
    ),
  },
  'a dialect of banks is entered by the tables of dialects': {
    why: 'What names one dialect would be wrong of the next: shared/bank/dialects/dialects.ts has its parts by its name.',
    where: outside(everything, 'shared/bank/dialects', 'test'),
    breaks: importing((from) => /^shared\/bank\/dialects\/[^/]+\//u.test(from)),
  },
  'what is deployed knows none of the rooms beside it': {
    why: 'A template must not depend on how the service runs locally, is operated or is tested: infra/aws is read alone.',
    where: inside('infra/aws', 'infra/app.ts', 'infra/environments.ts', 'infra/settings.ts'),
    breaks: importing(inside('packages', 'infra/operator', 'infra/releases', 'tools')),
  },
  'the operator’s commands know neither the local environment nor the stacks': {
    why: 'They work on any table. What they share with the local environment is theirs: it imports them, never back.',
    where: inside('infra/operator'),
    breaks: importing(inside('infra/aws', 'infra/app.ts', 'packages', 'infra/releases', 'tools')),
  },
  'packages know no tools': {
    why: 'npm start must not need what only emulators, documents and measurements do.',
    where: (path) => inside('packages')(path) && !isOfTests(path),
    breaks: importing(inside('infra/releases', 'tools')),
  },
  'the tools for partners know an environment by its sandbox file and its API alone': {
    why: 'They must work against any environment, from the outside: what they read besides is published (contracts, the domain, the signature).',
    where: inside('packages/partner-tools/src'),
    breaks: importing(
      (from) =>
        own(from) &&
        !inside('packages/partner-tools')(from) &&
        !isContract(from) &&
        !isPure(from) &&
        !isPublished(from),
    ),
  },
  'the console knows an environment by its sandbox file and its document alone, and its page knows no code of a function':
    {
      why: 'It must work against any environment, from the outside; contracts are types to it, for what runs would be in the page.',
      where: inside('packages/console/src'),
      breaks: ({ imports }) =>
        imports
          .filter(
            ({ from, typeOnly }) =>
              own(from) &&
              !inside('packages/console', 'packages/partner-tools')(from) &&
              !isPure(from) &&
              !(isPublished(from) && (typeOnly || !inside('functions')(from))) &&
              !(typeOnly && isContract(from)),
          )
          .map(({ from, line }) => ({ line, what: `imports ${from}` })),
    },
  'the page of the console reaches no server': {
    why: 'It runs in a browser: what it may know of the server is in protocol.ts, as types.',
    where: inside('packages/console/src/page'),
    breaks: importing(
      (from) => from.startsWith('node:') || inside('packages/console/src/server', 'packages/partner-tools')(from),
    ),
  },
  'shared imports no function': {
    why: 'What several functions need is in shared/; the arrow points one way.',
    where: inside('shared'),
    breaks: importing((from) => inside('functions', 'infra', 'packages', 'test', 'tools')(from)),
  },
  'a function imports no other function': {
    why: 'A folder is one endpoint or worker and can be read, changed and deleted alone. Share through shared/.',
    where: outside(
      ['functions'],
      'functions/routes.ts',
      'functions/workers.ts',
      'functions/transitions.ts',
      'functions/banks.ts',
    ),
    breaks: importing((from, path) => inside('functions')(from) && !inside(folderOf(path), 'functions/banks.ts')(from)),
  },
  'the payload of a notification is made of rules and views': {
    why: 'A payload describes the moment of a move: it must not read anything.',
    where: (path) => /^shared\/(?!webhooks\/)[^/]+\/notification\.ts$/u.test(path),
    breaks: importing(
      (from) => own(from) && !isPure(from) && !isContract(from) && !/^shared\/[^/]+\/view\.ts$/u.test(from),
    ),
  },
  "sockets are opened by the sender, the provider, the request for the issuer's keys and tools at a bank here alone": {
    why: 'An operation that calls somebody needs time limits and the target guard: shared/webhooks/dispatch and shared/bank.',
    where: outside(
      code,
      'shared/webhooks/dispatch',
      'shared/bank',
      'shared/platform/target-guard.ts',
      'shared/access/fetch-keys.ts',
      'shared/sandbox/bank-tools.ts',
    ),
    breaks: ({ imports, ...source }) => [
      ...importing((from) => /^(node:(https?|net|tls|dns(\/promises)?)|undici)$/u.test(from))({ imports, ...source }),
      ...matching(/\bfetch\(/u)({ imports, ...source }),
    ],
  },
  'keys are built in keys.ts alone': {
    why: 'Every key begins with its company there, so that no other company’s item can be reached.',
    where: outside(['shared', 'functions', 'infra'], 'shared/platform/table/keys.ts'),
    breaks: ({ tree }) =>
      textsIn(tree).filter(({ what }) =>
        keyWords.some((word) => what.includes(`${word}#`) || what.includes(`#${word}`)),
      ),
  },
  'attributes of keys are set by keys.ts alone': {
    why: 'A key that is put together elsewhere may begin with no company, or with another one.',
    where: outside(['shared', 'functions', 'infra'], 'shared/platform/table/keys.ts'),
    breaks: ({ tree }) =>
      nodesOf(tree).flatMap((node) =>
        ts.isPropertyAssignment(node) && /^(PK|SK|GSI\d[PS]K)$/u.test(node.name.getText()) && isText(node.initializer)
          ? [{ line: lineOf(node), what: node.getText() }]
          : [],
      ),
  },
  'the environment is read in env.ts alone': {
    why: 'Each variable is declared once, parsed once, and named when it is missing.',
    where: outside(code, 'shared/platform/env.ts'),
    breaks: matching(/process\.env/u),
  },
  'dates are computed in brasilia-time.ts alone': {
    why: 'An hour of the day is Brasilia’s and an instant is UTC; only one file turns one into the other.',
    where: outside(code, 'shared/core/brasilia-time.ts', 'shared/platform/clock.ts'),
    breaks: matching(/America\/Sao_Paulo|new Date\b|Date\.(now|parse|UTC)|Temporal\./u),
  },
  'the clock tells the time and computes nothing': {
    why: 'It is the one place that asks the machine for the present.',
    where: inside('shared/platform/clock.ts'),
    breaks: matching(/America\/Sao_Paulo|new Date\b|Date\.(parse|UTC)/u),
  },
  'fast-check is configured in one place': {
    why: 'Properties of a run have one seed: import { fc } from test/support/properties.ts.',
    where: outside(everything, 'test/support/properties.ts'),
    breaks: importing((from) => from === 'fast-check'),
  },
  'no zone and no language is loaded by an import': {
    why: 'Node takes longer for it than a function computes, and most functions never ask: make it at its first use.',
    where: inside('shared', 'functions'),
    breaks: matching(/^(?:export )?const .*\bnew Intl\./u),
  },
  'money is never a binary fraction': {
    why: 'Amounts are whole centavos parsed from text: shared/core/money.ts.',
    where: outside(code, 'shared/core/money.ts'),
    breaks: matching(/parseFloat|toFixed\(/u),
  },
};

test.each(Object.entries(rules))('%s', (_name, rule) => {
  expect(broken(rule), rule.why).toEqual([]);
});

test('the words of keys are read from keys.ts', () => {
  expect(keyWords).toEqual(
    expect.arrayContaining(['C', 'SUB', 'ORDER', 'CXL', 'DISPATCH', 'BACKLOG', 'UNIQ', 'CLIENT', 'DUE']),
  );
});

test('every rule looks at some file', () => {
  for (const [name, { where }] of Object.entries(rules))
    expect(
      sources.some(({ path }) => where(path)),
      name,
    ).toBe(true);
});

test('a contract reaches no handler, no table and no runtime, however far its imports go', () => {
  const why = 'Contracts are read by the infrastructure, the document and clients: they must stay free of what runs.';
  const forbidden = (path: string): boolean =>
    inside('shared/platform/table', 'shared/platform/http', 'shared/platform/jobs', 'infra')(path) ||
    path.endsWith('/handler.ts') ||
    path.startsWith('@aws-sdk/');
  const reached = (path: string, way: readonly string[]): readonly string[] => {
    if (way.includes(path)) return [];
    const here = [...way, path];
    if (forbidden(path)) return [here.join(' → ')];
    const source = sources.find((one) => one.path === path);
    return (source?.imports ?? []).filter(({ typeOnly }) => !typeOnly).flatMap(({ from }) => reached(from, here));
  };
  const contracts = sources.filter(({ path }) => /^functions\/.*\/contract\.ts$/u.test(path));
  expect(contracts.length).toBeGreaterThan(0);
  expect(
    contracts.flatMap(({ path }) => reached(path, [])),
    why,
  ).toEqual([]);
});

/** `functions/<area>/<name>` of a file in it. */
function folderOf(path: string): string {
  return path.split('/').slice(0, 3).join('/');
}

/** `import 'module'`, for what it does. */
function isImportOfNothing(statement: ts.Statement): boolean {
  return ts.isImportDeclaration(statement) && statement.importClause === undefined;
}

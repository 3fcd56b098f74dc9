import { expect, test } from 'vitest';
import ts from 'typescript';
import { keyFiles, keyWords } from './key-words.ts';
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
  parseSource,
  sources,
  textsIn,
} from './sources.ts';

const own = (from: string): boolean => inside('shared', 'functions', 'infra', 'packages', 'test', 'tools')(from);
const isPublished = (from: string): boolean =>
  from === 'functions/transitions.ts' ||
  from === 'shared/webhooks/dispatch/signature.ts' ||
  from === 'shared/accounts/chain/entry-hash.ts' ||
  /^functions\/.*\/contract\.ts$/u.test(from);
/** Check digits and bank numbers: functions of their arguments. */
const pureLibrary = '@brazilian-utils/brazilian-utils/';
/** Rules of a resource: functions of their arguments, in `model.ts`, `states.ts` and the files cut from them. */
const rulesOf: Readonly<Record<string, string>> = {
  accounts: 'model',
  'pay-ins': 'model states',
  payouts: 'model states target ted-calendar',
  refunds: 'model states',
  disputes: 'model states',
  credits: 'model states',
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
  'rules read no time, no random number and no environment': {
    why: 'The same input must give the same output. Take a Clock or Ids as an argument.',
    where: isPure,
    breaks: matching(/Date\.now|new Date\(\)|Math\.random|\bcrypto\b|\bprocess\b|\bfetch\(|\bawait\b|setTimeout/u),
  },
  'only the table, the workers and the clients of AWS import the AWS SDK': {
    why: 'Operations talk to the Store and the Bank, so that they run in a test as they run on AWS.',
    where: outside(
      code,
      'shared/platform/table',
      'shared/pix-keys/codes/amazon-sender.ts',
      'shared/platform/signing/kms-key.ts',
      'shared/accounts/roots/keep-root.ts',
      'shared/bank/secret.ts',
      'shared/platform/queue-worker.ts',
      'shared/platform/sqs.ts',
      'functions/workers',
    ),
    breaks: importing((from) => from.startsWith('@aws-sdk/') || from.startsWith('@smithy/')),
  },
  'a client of AWS is made in a file that limits its calls': {
    why: 'By default the SDK waits for an answer for ever: shared/platform/call-limit.ts ends the call.',
    where: inside(...code),
    breaks: (source) =>
      source.imports.some(({ names }) => names.includes('endAfterMs'))
        ? matching(/\brequestTimeout\b/u)(source)
        : // The configuration of a client is read without a call of it.
          matching(/new \w+Client\((?!\{\}\)\.config)/u)(source),
  },
  'only the relay, the receiver of callbacks and the schedules of due jobs send to SQS': {
    why: 'A delivery reaches the queue from the table’s stream and on no other way: then none can be lost between the two.',
    where: outside(
      code,
      'functions/workers/relay-deliveries',
      'functions/workers/receive-callbacks',
      'shared/platform/jobs/due-worker.ts',
      'shared/platform/sqs.ts',
    ),
    breaks: matching(/sendMessages|SendMessage/u),
  },
  'no module has a side effect when it is imported': {
    why: 'A bundle leaves out unused modules (`sideEffects` in package.json), and with them their side effects.',
    where: inside(...code),
    breaks: ({ tree }) =>
      tree.statements
        .filter((statement) => ts.isExpressionStatement(statement) || isImportOfNothing(statement))
        .map((statement) => ({ line: lineOf(statement), text: statement.getText() })),
  },
  'only the wrappers of endpoints and of queue workers import middy': {
    why: 'Operations are plain functions; shared/platform/http/endpoint.ts and queue-worker.ts make handlers of them.',
    where: outside(everything, 'shared/platform/http', 'shared/platform/queue-worker.ts'),
    breaks: importing((from) => from.startsWith('@middy/')),
  },
  'the handler of an endpoint is endpoint() with the middlewares of every endpoint': {
    why: 'A middleware in shared/platform/http/middlewares/every-endpoint.ts runs for all: no endpoint has its own list.',
    where: (path) => /^functions\/(?!workers\/).*\/handler\.ts$/u.test(path),
    breaks: ({ tree }) =>
      nodesOf(tree).some((node) => ts.isVariableDeclaration(node) && isEveryEndpoint(node))
        ? []
        : [{ line: 1, text: 'has no `handler = endpoint(contract, operation, dependencies)`' }],
  },
  'only infra imports the CDK': {
    why: 'infra decides where a function runs; a function must not depend on it.',
    where: inside('shared', 'functions'),
    breaks: importing(
      (from) =>
        from.startsWith('aws-cdk-lib') || from === 'constructs' || inside('infra', 'packages', 'test', 'tools')(from),
    ),
  },
  'only the tables of dialects import a dialect of banks': {
    why: 'Code that names one dialect is wrong for another one: shared/bank/dialects/dialects.ts has the parts of each by its name.',
    where: outside(everything, 'shared/bank/dialects', 'test'),
    breaks: importing((from) => /^shared\/bank\/dialects\/[^/]+\//u.test(from)),
  },
  'the deployed stacks import no package, operator command, release or tool': {
    why: 'A template must not depend on how the service runs locally, is operated or is tested: infra/aws is read without them.',
    where: inside('infra/aws', 'infra/app.ts', 'infra/environments.ts', 'infra/settings.ts'),
    breaks: importing(inside('packages', 'infra/operator', 'infra/releases', 'tools')),
  },
  'the operator’s commands import no package, stack, release or tool': {
    why: 'They work on any table. The local environment imports their shared code, and they import none of its.',
    where: inside('infra/operator'),
    breaks: importing(inside('infra/aws', 'infra/app.ts', 'packages', 'infra/releases', 'tools')),
  },
  'no package imports a tool': {
    why: 'npm start must not need the tools of emulators, documents and measurements.',
    where: (path) => inside('packages')(path) && !isOfTests(path),
    breaks: importing(inside('infra/releases', 'tools')),
  },
  'the tools for partners need nothing that Node 20 lacks': {
    why: 'Their package runs on Node 20 (`oldestNode` in invocation.ts).',
    where: inside('packages/partner-tools/src'),
    breaks: matching(/(?:Map|Object)\.groupBy|Promise\.(?:withResolvers|try)\b|Array\.fromAsync|RegExp\.escape/u),
  },
  'the tools for partners import only published files': {
    why: 'They must work against any environment, from the outside: all else that they import is published (contracts, the domain, the signature).',
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
  'the console imports only published files, and contracts as types': {
    why: 'It must work against any environment, from the outside; it imports contracts as types, because their code would be in the page.',
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
        .map(({ from, line }) => ({ line, text: `imports ${from}` })),
  },
  'the page of the console imports no code of a server': {
    why: 'It runs in a browser: protocol.ts has the types of the server for it.',
    where: inside('packages/console/src/page'),
    breaks: importing(
      (from) => from.startsWith('node:') || inside('packages/console/src/server', 'packages/partner-tools')(from),
    ),
  },
  'shared imports no function': {
    why: 'shared/ has the code of several functions, and imports none of them.',
    where: inside('shared'),
    breaks: importing((from) => inside('functions', 'infra', 'packages', 'test', 'tools')(from)),
  },
  'a function imports no other function': {
    why: 'A folder is one endpoint or worker and can be read, changed and deleted without the others. Share through shared/.',
    where: outside(
      ['functions'],
      'functions/routes.ts',
      'functions/workers.ts',
      'functions/transitions.ts',
      'functions/banks.ts',
    ),
    breaks: importing((from, path) => inside('functions')(from) && !inside(folderOf(path), 'functions/banks.ts')(from)),
  },
  'the payload of a notification imports only rules, contracts and views': {
    why: 'A payload describes the moment of a transition: it must not read anything.',
    where: (path) => /^shared\/(?!webhooks\/)[^/]+\/notification\.ts$/u.test(path),
    breaks: importing(
      (from) => own(from) && !isPure(from) && !isContract(from) && !/^shared\/[^/]+\/view\.ts$/u.test(from),
    ),
  },
  "only the sender, the banks, the target guard, the request for the issuer's keys and the tools at a bank open sockets":
    {
      why: 'An operation that calls another host needs time limits and the target guard: shared/webhooks/dispatch and shared/bank.',
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
  'only keys.ts and due-keys.ts build keys': {
    why: 'Every key begins with its company there, so that no other company’s item can be reached.',
    where: outside(['shared', 'functions', 'infra'], ...keyFiles),
    breaks: ({ tree }) =>
      textsIn(tree).filter(({ text }) =>
        keyWords.some((word) => text.includes(`${word}#`) || text.includes(`#${word}`)),
      ),
  },
  'only keys.ts and due-keys.ts set attributes of keys': {
    why: 'A key that is built elsewhere may begin with no company, or with another one.',
    where: outside(['shared', 'functions', 'infra'], ...keyFiles),
    breaks: ({ tree }) =>
      nodesOf(tree).flatMap((node) =>
        ts.isPropertyAssignment(node) && /^(PK|SK|GSI\d[PS]K)$/u.test(node.name.getText()) && isText(node.initializer)
          ? [{ line: lineOf(node), text: node.getText() }]
          : [],
      ),
  },
  'only env.ts reads environment variables': {
    why: 'Each variable is declared once, parsed once, and named when it is missing.',
    where: outside(code, 'shared/platform/env.ts'),
    breaks: matching(/process\.env/u),
  },
  'only brasilia-time.ts computes dates': {
    why: 'An hour of the day is Brasilia’s and an instant is UTC; only one file turns one into the other.',
    where: outside(code, 'shared/core/brasilia-time.ts', 'shared/platform/clock.ts'),
    breaks: matching(/America\/Sao_Paulo|new Date\b|Date\.(now|parse|UTC)|Temporal\./u),
  },
  'the clock reads the time and computes no date': {
    why: 'It is the one file that reads the current time of the machine.',
    where: inside('shared/platform/clock.ts'),
    breaks: matching(/America\/Sao_Paulo|new Date\b|Date\.(parse|UTC)/u),
  },
  'only test/support/properties.ts imports fast-check': {
    why: 'Properties of a run have one seed: import { fc } from test/support/properties.ts.',
    where: outside(everything, 'test/support/properties.ts'),
    breaks: importing((from) => from === 'fast-check'),
  },
  'no import creates an Intl object': {
    why: 'Node takes longer for it than a function computes, and most functions never need it: create it at its first use.',
    where: inside('shared', 'functions'),
    breaks: matching(/^(?:export )?const .*\bnew Intl\./u),
  },
  'only money.ts parses and formats amounts': {
    why: 'Amounts are whole centavos parsed from text: shared/core/money.ts.',
    where: outside(code, 'shared/core/money.ts'),
    breaks: matching(/parseFloat|toFixed\(/u),
  },
};

test.each(Object.entries(rules))('%s', (_name, rule) => {
  expect(broken(rule), rule.why).toEqual([]);
});

test('an endpoint with middlewares of its own, or without endpoint(), is found', () => {
  const { breaks } = rules['the handler of an endpoint is endpoint() with the middlewares of every endpoint']!;
  const found = (text: string) => breaks(parseSource('functions/a/b/handler.ts', text)).length;
  expect(found('export const handler = endpoint(Get, get, () => build());')).toBe(0);
  expect(found('export const handler = endpoint(Get, get, build, own);')).toBe(1);
  expect(found('export const handler = (event) => endpoint(Get, get, build)(event);')).toBe(1);
});

test('the words of keys are read from the files that build keys', () => {
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

/** `handler = endpoint(…)` without a list of middlewares, which is the fourth argument. */
function isEveryEndpoint({ name, initializer }: ts.VariableDeclaration): boolean {
  if (name.getText() !== 'handler' || initializer === undefined || !ts.isCallExpression(initializer)) return false;
  return initializer.expression.getText() === 'endpoint' && initializer.arguments.length === 3;
}

/** `functions/<area>/<name>` of a file in it. */
function folderOf(path: string): string {
  return path.split('/').slice(0, 3).join('/');
}

/** `import 'module'`, for what it does. */
function isImportOfNothing(statement: ts.Statement): boolean {
  return ts.isImportDeclaration(statement) && statement.importClause === undefined;
}

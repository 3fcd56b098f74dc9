import { expect, test } from 'vitest';
import type { Rule } from './sources.ts';
import { broken, importing, inside, matching, outside, sources } from './sources.ts';

const own = (from: string): boolean => inside('shared', 'functions', 'infra', 'test')(from);
/** Check digits and bank numbers: functions of their arguments. */
const PURE_LIBRARY = '@brazilian-utils/brazilian-utils/';
const code = ['shared', 'functions'];
const everything = ['shared', 'functions', 'infra', 'test'];

const RULES: Readonly<Record<string, Rule>> = {
  'the domain imports the domain and pure libraries': {
    why: 'Rules must be readable and testable without AWS, schemas, clocks and I/O. Pass what is needed as an argument.',
    where: inside('shared/domain'),
    breaks: importing((from) => !inside('shared/domain')(from) && !from.startsWith(PURE_LIBRARY)),
  },
  'the domain knows no present, no chance and no environment': {
    why: 'The same input must give the same output. Take a Clock or Ids as an argument.',
    where: inside('shared/domain'),
    breaks: matching(/Date\.now|new Date\(\)|Math\.random|\bcrypto\b|\bprocess\b|\bfetch\(|\bawait\b|setTimeout/u),
  },
  'the AWS SDK is behind persistence, runtime and workers': {
    why: 'Operations talk to the Store and the Bank, so that they run in a test as they run on AWS.',
    where: outside(code, 'shared/persistence', 'shared/runtime', 'functions/workers'),
    breaks: importing((from) => from.startsWith('@aws-sdk/') || from.startsWith('@smithy/')),
  },
  'SQS is written by the relay alone': {
    why: 'A delivery reaches the queue from the table’s stream and on no other way: then none can be lost between the two.',
    where: outside(code, 'functions/workers/relay-deliveries'),
    breaks: matching(/SendMessage/u),
  },
  'middy is in the endpoint wrapper alone': {
    why: 'Operations are plain functions; shared/http/endpoint.ts gives them their HTTP.',
    where: outside(everything, 'shared/http'),
    breaks: importing((from) => from.startsWith('@middy/')),
  },
  'CDK is in infra alone': {
    why: 'What runs where is infra’s; a function must not carry it.',
    where: inside('shared', 'functions'),
    breaks: importing(
      (from) => from.startsWith('aws-cdk-lib') || from === 'constructs' || inside('infra', 'test')(from),
    ),
  },
  'shared imports no function': {
    why: 'What several functions need is in shared/; the arrow points one way.',
    where: inside('shared'),
    breaks: importing((from) => inside('functions', 'infra', 'test')(from)),
  },
  'a function imports no other function': {
    why: 'A folder is one endpoint or worker and can be read, changed and deleted alone. Share through shared/.',
    where: outside(['functions'], 'functions/routes.ts'),
    breaks: importing((from, path) => inside('functions')(from) && !inside(folderOf(path))(from)),
  },
  'the payload of a notification is made of the domain and its views': {
    why: 'A payload describes the moment of a move: it must not read anything.',
    where: inside('shared/notifications/payloads'),
    breaks: importing(
      (from) => own(from) && !inside('shared/domain', 'shared/views', 'shared/notifications/payloads')(from),
    ),
  },
  'sockets are opened by the sender and the provider alone': {
    why: 'An operation that calls somebody needs time limits and the target guard: shared/notifications and shared/provider.',
    where: outside(code, 'shared/notifications', 'shared/provider'),
    breaks: ({ imports, ...source }) => [
      ...importing((from) => /^(node:(https?|net|tls|dns(\/promises)?)|undici)$/u.test(from))({ imports, ...source }),
      ...matching(/\bfetch\(/u)({ imports, ...source }),
    ],
  },
  'keys are built in keys.ts alone': {
    why: 'Every key begins with its company there, so that no other company’s item can be reached.',
    where: outside(['shared', 'functions', 'infra'], 'shared/persistence/keys.ts'),
    breaks: matching(/['"`](C#|CLIENT#)|#(SUB|ORDER|ACC|DLV|UNIQ|IDEM|DUE|HELD|LIST|SECRET|PAY)(#|['"`])/u),
  },
  'the environment is read in env.ts alone': {
    why: 'Each variable is declared once, parsed once, and named when it is missing.',
    where: outside(code, 'shared/runtime/env.ts'),
    breaks: matching(/process\.env/u),
  },
  'dates are computed in brasilia-time.ts alone': {
    why: 'An hour of the day is Brasilia’s and an instant is UTC; only one file turns one into the other.',
    where: outside(code, 'shared/domain/brasilia-time.ts', 'shared/runtime/clock.ts'),
    breaks: matching(/America\/Sao_Paulo|new Date\b|Date\.(now|parse|UTC)|Temporal\./u),
  },
  'the clock tells the time and computes nothing': {
    why: 'It is the one place that asks the machine for the present.',
    where: inside('shared/runtime/clock.ts'),
    breaks: matching(/America\/Sao_Paulo|new Date\b|Date\.(parse|UTC)/u),
  },
  'money is never a binary fraction': {
    why: 'Amounts are whole centavos parsed from text: shared/domain/money.ts.',
    where: outside(code, 'shared/domain/money.ts'),
    breaks: matching(/parseFloat|toFixed\(/u),
  },
};

test.each(Object.entries(RULES))('%s', (_name, rule) => {
  expect(broken(rule), rule.why).toEqual([]);
});

test('every rule looks at some file', () => {
  for (const [name, { where }] of Object.entries(RULES))
    expect(
      sources.some(({ path }) => where(path)),
      name,
    ).toBe(true);
});

test('a contract reaches no handler, no table and no runtime, however far its imports go', () => {
  const why = 'Contracts are read by the infrastructure, the document and clients: they must stay free of what runs.';
  const forbidden = (path: string): boolean =>
    inside('shared/persistence', 'shared/runtime', 'shared/http', 'shared/operations', 'infra')(path) ||
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

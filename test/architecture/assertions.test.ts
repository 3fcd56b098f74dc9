import { expect, test } from 'vitest';
import ts from 'typescript';
import type { Source } from './sources.ts';
import { inside, nodesOf, parseSource, sources } from './sources.ts';

/**
 * What cannot be said to the compiler, by the reason: files, with how many assertions each has. Everything else is
 * parsed, narrowed or typed. `as const` says nothing that the compiler does not check.
 */
const allowed: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'The AWS SDK types items, keys and errors as anything; every item is parsed by its schema where it is used.': {
    'shared/platform/table/dynamo-reads.ts': 5,
    'shared/platform/table/dynamo-writes.ts': 5,
  },
  'The compiler cannot follow a contract or a variable through the generic function that has just parsed it.': {
    'shared/platform/http/read-request.ts': 1,
    'shared/platform/table/filters.ts': 2,
    'shared/platform/http/middlewares/caller.ts': 1,
    'shared/platform/http/middlewares/parse-request.ts': 3,
    'shared/platform/metrics.ts': 1,
  },
  'The one place that gives out a branded type.': {
    'shared/core/money.ts': 1,
    'shared/platform/keyed-hash.ts': 1,
  },
  'Object.keys and Object.fromEntries forget the names of a Record that is complete.': {
    'functions/workers.ts': 1,
    'shared/core/pick.ts': 1,
    'shared/platform/jobs/due-kinds.ts': 2,
    'shared/sandbox/clock.ts': 1,
    'shared/bank/simulated/payouts.ts': 1,
  },
  'A body before it is parsed, read by rules that expect nothing of it.': {
    'functions/payouts/create/contract.ts': 1,
    'functions/webhooks/replace/contract.ts': 3,
    'shared/contract/contract.ts': 2,
  },
  'JSON that this service wrote, or whose text it has just read.': {
    'functions/webhooks/send-test/sample-notification.ts': 1,
    'shared/contract/json.ts': 2,
    'shared/webhooks/view.ts': 1,
  },
  'The types of Node and of the SDK say less than their documentation.': {
    'shared/access/fetch-keys.ts': 1,
    'shared/bank/calls/exchange.ts': 1,
    'shared/bank/dialects/qitech/json.ts': 1,
  },
};

test('shared and functions assert no type, beyond what is listed with its reason', () => {
  const found = sources
    .filter(({ path }) => inside('shared', 'functions')(path))
    .flatMap((source) => {
      const count = assertionsIn(source).length;
      return count === 0 ? [] : [[source.path, count] as const];
    });
  expect(
    Object.fromEntries(found.toSorted()),
    'A type assertion is not checked: parse, narrow or type the value. Remove a deleted assertion from the list.',
  ).toEqual(Object.fromEntries(Object.values(allowed).flatMap((files) => Object.entries(files))));
});

test('this check sees what it looks for', () => {
  const text =
    'const a = b as string;\nconst c = [1] as const;\nconst d = <number>a;\nconst e = b as unknown as number;';
  expect(assertionsIn(parseSource('shared/a.ts', text))).toEqual([
    'b as string',
    '<number>a',
    'b as unknown as number',
  ]);
});

/** Assertions of a source; `as unknown as T` is one. */
function assertionsIn({ tree }: Source): readonly string[] {
  return nodesOf(tree)
    .filter((node) => ts.isAsExpression(node) || ts.isTypeAssertionExpression(node))
    .filter((node) => node.type.getText() !== 'const' && !ts.isAsExpression(node.parent))
    .map((node) => node.getText());
}

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import { workerNames, workers } from '#functions/workers.ts';
import type { Rule } from './sources.ts';
import { broken, inside, isOfTests, lineOf, matching, nodesOf, outside, root, sources, textsIn } from './sources.ts';

const everything = ['shared', 'functions', 'infra', 'packages', 'test', 'tools'];
/** Spelled so that this file does not break its own rules. */
const word = (...parts: readonly string[]): RegExp => new RegExp(parts.join(''), 'u');

const rules: Readonly<Record<string, Rule>> = {
  'no test replaces a module at run time': {
    why: 'Dependencies are arguments; a test passes another one.',
    where: isOfTests,
    breaks: matching(word('vi\\.', '(mock|doMock|hoisted)\\(')),
  },
  'no test is skipped, focused, planned or expected to fail': {
    why: 'A test that does not run shows nothing. Delete it or make it pass.',
    where: isOfTests,
    breaks: matching(word('\\b(describe|it|test)', '\\.(sk', 'ip|on', 'ly|to', 'do|fails)\\b')),
  },
  'a hook is in a test file, or in a function that a test file calls': {
    why: 'The files of a worker share their modules: a hook of a module runs for the first file that imports it.',
    // Vitest runs the setup file for every file.
    where: (path) => isOfTests(path) && !path.endsWith('.test.ts') && path !== 'test/support/at-lacking-bank.ts',
    breaks: matching(/^(?:before|after)(?:Each|All)\(/u),
  },
  'no line has a marker of unfinished work': {
    why: 'Open an issue for missing work, or do it now.',
    where: inside(...everything),
    breaks: ({ lines }) =>
      lines.flatMap((text, index) =>
        word('\\b(TO', 'DO|FIX', 'ME|XX', 'X|HA', 'CK)\\b').test(text) ? [{ line: index + 1, text }] : [],
      ),
  },
  'no type check is switched off': {
    why: 'A wrong type hides a bug.',
    where: (path) => inside('shared', 'functions', 'infra', 'packages', 'tools')(path) && !isOfTests(path),
    breaks: ({ lines }) =>
      lines.flatMap((text, index) =>
        word('@ts-(ig', 'nore|no', 'check)|\\bas an', 'y\\b').test(text) ? [{ line: index + 1, text }] : [],
      ),
  },
  'no object literal is spread into another': {
    why: 'Write its members instead: the spread only saves lines.',
    where: (path) => inside('shared', 'functions', 'infra', 'packages', 'tools')(path) && !isOfTests(path),
    breaks: ({ tree }) =>
      nodesOf(tree)
        .filter((node) => ts.isSpreadAssignment(node) && ts.isObjectLiteralExpression(node.expression))
        .map((node) => ({ line: lineOf(node), text: node.getText() })),
  },
  'no file has a default export': {
    why: 'One thing has one name everywhere.',
    where: outside(everything, 'vitest.config.ts'),
    breaks: matching(/^export default\b/u),
  },
  'a path in a string leads to an existing file': {
    why: 'No compiler checks a path in a text: correct it when a file moves.',
    where: inside('infra', 'packages', 'test', 'tools'),
    breaks: ({ tree }) =>
      textsIn(tree).filter(({ text }) => {
        const path = /^['"`]((?:infra|packages|docs|test|tools)\/[\w./-]+\.[cm]?[jt]s)['"`]$/u.exec(text)?.[1];
        return path !== undefined && !existsSync(join(root, path));
      }),
  },
  'a line of a comment has at most 120 columns': {
    why: 'Comments are read beside other files. The formatter wraps code and leaves comments to us.',
    where: inside(...everything),
    breaks: ({ lines }) =>
      lines.flatMap((text, index) =>
        text.length > 120 && /^\s*(?:\/\/|\/?\*)/u.test(text) ? [{ line: index + 1, text }] : [],
      ),
  },
  'a file has at most 400 lines': {
    why: 'Divide it by its tasks.',
    where: inside(...everything),
    breaks: ({ lines }) => (lines.length > 401 ? [{ line: lines.length, text: `${lines.length - 1} lines` }] : []),
  },
};

test.each(Object.entries(rules))('%s', (_name, rule) => {
  expect(broken(rule), rule.why).toEqual([]);
});

test('files are named in kebab-case, say what they are, and are no collections', () => {
  const why = 'A name such as utils or index says nothing; whoever looks for a thing looks for its name.';
  const odd = sources
    .map(({ path }) => path)
    .filter((path) => {
      const parts = path.replace(/(\.test)?\.tsx?$/u, '').split('/');
      return parts.some(
        (part) =>
          !/^[a-z0-9]+(-[a-z0-9]+)*$/u.test(part) || /^(utils?|helpers?|services?|common|misc|index|lib)$/u.test(part),
      );
    });
  expect(odd, why).toEqual([]);
});

test('functions/routes.ts and the folders of endpoints are the same set, each with contract and handler', () => {
  const areas = readdirSync(join(root, 'functions'), { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== 'workers',
  );
  const folders = areas.flatMap(({ name }) =>
    readdirSync(join(root, 'functions', name)).map((endpoint) => `${name}/${endpoint}`),
  );
  expect(routes.map(({ folder }) => folder).toSorted(), 'one line in routes.ts for each folder').toEqual(
    folders.toSorted(),
  );
  for (const folder of folders)
    for (const file of ['contract.ts', 'handler.ts'])
      expect(existsSync(join(root, 'functions', folder, file)), `${folder}/${file}`).toBe(true);
});

test('routes have paths, names and permissions that fit together', () => {
  const unique = (values: readonly string[]) => {
    expect(new Set(values).size).toBe(values.length);
  };
  unique(routes.map(({ contract }) => `${contract.method} ${contract.path}`));
  unique(routes.map(({ contract }) => contract.operationId));
  for (const { contract, access, simulation } of routes) {
    const { path, tool, method } = contract;
    expect(simulation === true, `${path}: what is under /order-tools is not deployed in production`).toBe(
      path.startsWith('/order-tools/'),
    );
    if (tool === true) expect(simulation, `${path}: a tool is a simulation`).toBe(true);
    if (method === 'GET') expect(access.table, `${path}: a GET writes nothing`).toBe('reads');
  }
});

test('functions/workers.ts and the folders of workers are the same set, each with a handler', () => {
  const folders = readdirSync(join(root, 'functions/workers'));
  expect(folders.toSorted()).toEqual(workerNames.toSorted());
  for (const name of folders)
    expect(existsSync(join(root, 'functions/workers', name, 'handler.ts')), `${name}/handler.ts`).toBe(true);
});

test('a worker of due jobs reads the queue of the family that functions/workers.ts gives it', () => {
  const families = workerNames.map((name) => {
    const text = readFileSync(join(root, 'functions/workers', name, 'handler.ts'), 'utf8');
    const [, ofJobs, ofOthers] =
      /jobHandler\(\s*'[\w-]+',\s*'(\w+)'|dueWorker\('[\w-]+', \{\s*family: '(\w+)'/u.exec(text) ?? [];
    return [name, ofJobs ?? ofOthers];
  });
  expect(families).toEqual(workerNames.map((name) => [name, workers[name].due]));
});

test('the log lines and metrics of a worker name the folder that it is in', () => {
  const named = sources.flatMap(({ path, lines }) => {
    const [, folder] = /^functions\/workers\/([^/]+)\//u.exec(path) ?? [];
    const names = [...lines.join('\n').matchAll(/(?:\b(?:dueWorker|jobHandler)\(\s*|\bworker: )'([^']+)'/gu)];
    return folder === undefined ? [] : names.map(([, name]) => ({ path, name, folder }));
  });
  expect(named.length).toBeGreaterThan(5);
  for (const { path, name, folder } of named) expect(name, path).toBe(folder);
});

test('decision records are numbered in order, each number once, as their titles say', () => {
  const records = readdirSync(join(root, 'docs/decisions')).toSorted();
  const numbers = records.map((record) => Number(record.slice(0, 3)));
  expect(numbers, 'the next record takes the next number').toEqual(records.map((_, index) => index + 1));
  for (const [index, record] of records.entries()) {
    const title = readFileSync(join(root, 'docs/decisions', record), 'utf8').split('\n')[0];
    expect(title, record).toMatch(new RegExp(`^# ${String(index + 1)}\\. `, 'u'));
  }
});

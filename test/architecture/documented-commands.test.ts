import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { consoleTool } from '@banking-order/console';
import { partnerTools, runCommand } from '@banking-order/partner-tools';
import { runCommandLine } from '#infra/operator/main.ts';
import { each } from '#test/support/each.ts';
import { root } from './sources.ts';

const text = (path: string): string => readFileSync(join(root, path), 'utf8');
const documents = [
  ...['README.md', 'README.pt-BR.md', 'CONTRIBUTING.md', 'tools/kit/README.md', 'docs/github-actions.yml'],
  ...globSync(['docs/*.md', 'docs/pt-BR/*.md', 'packages/*/README.md'], { cwd: root }),
];

/** Values for the placeholders of the documents. */
const id = '00000000-0000-4000-8000-000000000000';
const values: Readonly<Record<string, string>> = {
  ...{ $TABLE: 'orders', $RESTORED: 'restored', $COMPANY: id, $ACCOUNT: id, NAME: 'orders', '<name>': 'layout-2' },
  ...{ ID: id, '<appId of the partner>': id, '$(output Hml-Service CompanyPlanId)': 'plan', '<ISPB>': '00000000' },
  ...{ FILE: 'a.pem', URL: 'https://partner.example.com/hook', KEY: 'a@example.com', SUBJECT: 'CN=bank' },
  ...{
    'E…': `E${'0'.repeat(20)}abcdefghijk`,
    'D…': `D${'0'.repeat(20)}abcdefghijk`,
    's3://…/truststore.pem': 's3://authorities/truststore.pem',
  },
};

/** The arguments of every command line of a pattern, with its document. Lines that a backslash continues are one. */
function commandsOf(pattern: string): readonly (readonly [line: string, args: readonly string[]])[] {
  const found = documents.flatMap((path) =>
    [
      ...text(path)
        .replaceAll(/\\\n\s*/gu, ' ')
        .matchAll(new RegExp(`${pattern}([^\\n\`#]*)`, 'gmu')),
    ].map(([, line = '']) => {
      const words = line.match(/'[^']*'|"[^"]*"|<[^>]*>|\S+/gu) ?? [];
      const bare = words.map((word) => word.replaceAll(/^['"]|['"]$/gu, '')).filter((word) => word !== '--');
      return [`${path}: ${line.trim()}`, bare.map((word) => values[word] ?? word)] as const;
    }),
  );
  return [...new Map(found).entries()].filter(([line]) => !line.endsWith('COMMAND [options]'));
}

const partnerNames = [...Object.keys(partnerTools), 'console'].join('|');
const operatorLines = commandsOf('(?:npm run operator -- |`operator |^ +operator )');
const partnerLines = commandsOf(`(?:npm run |npx banking-order )(?=(?:${partnerNames})\\b)`);

let printed = '';
beforeEach(() => {
  printed = '';
  const print = (chunk: unknown): boolean => {
    printed += `${String(chunk)}\n`;
    return true;
  };
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockImplementation(print);
  for (const name of ['log', 'error'] as const) vi.spyOn(console, name).mockImplementation(print);
});

test.each(each(operatorLines))('the operator takes the documented command %s', async (line, args) => {
  const opened = (): never => {
    throw new Error('Opened.');
  };
  let said = '';
  const say = (output: string): void => void (said += output);
  const code = await runCommandLine(args, opened, { out: say, err: say }, opened);
  const isHelp = args.includes('--help');
  expect([line, code, said]).toEqual([line, isHelp ? 0 : 1, isHelp ? expect.anything() : 'Error: Opened.']);
});

test.each(each(partnerLines))('the tools for partners take the documented command %s', async (line, args) => {
  const nowhere = 'http://127.0.0.1:9';
  const login = { BASE_URL: nowhere, TOKEN_URL: nowhere, SCOPE: 's', CLIENT_ID: 'c', CLIENT_SECRET: 's' };
  for (const [name, value] of Object.entries({ ...login, WEBHOOK_SECRET: 'w' })) vi.stubEnv(name, value);
  const tools = { ...partnerTools, console: ['', () => Promise.resolve(consoleTool)] } as const;
  // No tool finds an environment: its exit code is 1. With 2 it would refuse the command line.
  const isOffline = args[0] === 'verify-statement';
  const code = await runCommand(tools, isOffline ? args : [...args, '--sandbox', '/nowhere/sandbox.json']);
  vi.unstubAllEnvs();
  const isHarmless = args.includes('--help') || args.join() === 'scenario';
  expect([line, code, printed]).toEqual([line, isHarmless ? 0 : 1, expect.anything()]);
});

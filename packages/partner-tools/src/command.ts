import type { Command } from './command-line.ts';
import type { ToolName } from './invocation.ts';
import { commandLine } from './invocation.ts';

/** Each tool, with what it is for; its modules are read when it is called. */
type Tools = Readonly<Partial<Record<ToolName, readonly [about: string, open: () => Promise<Command>]>>>;

/** The tools of this package. */
export const partnerTools: Tools = {
  login: ['keeps the credentials that you got', async () => (await import('./login/tool.ts')).login],
  doctor: ['says what is wrong, and what to do', async () => (await import('./doctor/tool.ts')).doctor],
  listen: ['forwards notifications to your machine', async () => (await import('./listen/tool.ts')).listen],
  trigger: ['causes an event in one word', async () => (await import('./trigger/tool.ts')).trigger],
  'check-receiver': [
    'examines a receiver before you go live',
    async () => (await import('./check-receiver/tool.ts')).checkReceiverTool,
  ],
  scenario: ['plays whole stories, and checks them', async () => (await import('./scenarios/tool.ts')).scenario],
  rotate: ['makes a new webhook secret', async () => (await import('./rotate/tool.ts')).rotate],
};

/** Runs the tool that the first argument names. @returns The exit code: 0 success; 1 failure; 2 wrong usage. */
export async function runCommand(tools: Tools, [name = '', ...args]: readonly string[]): Promise<0 | 1 | 2> {
  const tool = Object.hasOwn(tools, name) ? tools[name as ToolName] : undefined;
  if (tool !== undefined) return (await tool[1]())(args);
  const usage = usageOf(tools);
  if (['--help', '-h', 'help'].includes(name)) {
    console.log(usage);
    return 0;
  }
  console.error(`${name === '' ? 'No tool is named.' : `There is no tool ${name}.`}\n\n${usage}`);
  return 2;
}

function usageOf(tools: Tools): string {
  const lines = Object.entries(tools).map(
    ([name, [about]]) => `  ${commandLine(name as ToolName).padEnd(34)} ${about}`,
  );
  return `The partner's tools of the Banking Order Service. Each says more with --help.

${lines.join('\n')}

Exit code: 0 all was well, 1 it was not, 2 the command line is wrong.`;
}

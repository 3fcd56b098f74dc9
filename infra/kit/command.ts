// The tools for partners, as `npx banking-order TOOL` of the package and as the scripts of the repository.
import type { Command } from '../partner/command-line.ts';
import type { ToolName } from '../partner/invocation.ts';
import { commandLine } from '../partner/invocation.ts';

/** Each tool, with what it is for; its modules are read when it is called. */
const tools: Readonly<Record<ToolName, readonly [about: string, open: () => Promise<Command>]>> = {
  login: ['keeps the credentials that you got', async () => (await import('../partner/login/tool.ts')).login],
  doctor: ['says what is wrong, and what to do', async () => (await import('../partner/doctor/tool.ts')).doctor],
  listen: ['forwards notifications to your machine', async () => (await import('../partner/listen/tool.ts')).listen],
  trigger: ['causes an event in one word', async () => (await import('../partner/trigger/tool.ts')).trigger],
  'check-receiver': [
    'examines a receiver before you go live',
    async () => (await import('../partner/check-receiver/tool.ts')).checkReceiverTool,
  ],
  scenario: [
    'plays whole stories, and checks them',
    async () => (await import('../partner/scenarios/tool.ts')).scenario,
  ],
  rotate: ['makes a new webhook secret', async () => (await import('../partner/rotate/tool.ts')).rotate],
  console: ['shows everything in a browser', async () => (await import('../console/main.ts')).consoleTool],
};

const usage = `The partner's tools of the Banking Order Service. Each says more with --help.

${Object.entries(tools)
  .map(([name, [about]]) => `  ${commandLine(name as ToolName).padEnd(34)} ${about}`)
  .join('\n')}

Exit code: 0 all was well, 1 it was not, 2 the command line is wrong.`;

async function runCommand([name = '', ...args]: readonly string[]): Promise<0 | 1 | 2> {
  if (Object.hasOwn(tools, name)) return (await tools[name as ToolName][1]())(args);
  if (['--help', '-h', 'help'].includes(name)) {
    console.log(usage);
    return 0;
  }
  console.error(`${name === '' ? 'No tool is named.' : `There is no tool ${name}.`}\n\n${usage}`);
  return 2;
}

process.exitCode = await runCommand(process.argv.slice(2));

import { Command } from 'commander';
import { runProgram } from './command-line.ts';
import type { ToolName } from './invocation.ts';
import { commandLine } from './invocation.ts';

/** Each tool with its purpose. Its modules are loaded when it is called. */
type Tools = Readonly<Partial<Record<ToolName, readonly [about: string, open: () => Promise<Command>]>>>;

/** The tools of this package. */
export const partnerTools: Tools = {
  login: ['stores your credentials in a sandbox file', async () => (await import('./login/tool.ts')).login],
  doctor: ['finds problems, and prints how to solve them', async () => (await import('./doctor/tool.ts')).doctor],
  listen: ['forwards notifications to your machine', async () => (await import('./listen/tool.ts')).listen],
  trigger: ['causes an event, such as payin.paid', async () => (await import('./trigger/tool.ts')).trigger],
  'check-receiver': [
    'checks your receiver before you go live',
    async () => (await import('./check-receiver/tool.ts')).checkReceiverTool,
  ],
  scenario: ['runs whole scenarios, and checks them', async () => (await import('./scenarios/tool.ts')).scenario],
  rotate: ['creates a new webhook secret', async () => (await import('./rotate/tool.ts')).rotate],
  statement: [
    'writes the statement of an account to a file',
    async () => (await import('./statement/tool.ts')).statement,
  ],
  'verify-statement': [
    'verifies the proofs of a statement, offline',
    async () => (await import('./statement/verify-tool.ts')).verifyStatement,
  ],
};

/** Runs the tool that the first argument names. @returns The exit code: 0 success; 1 failure; 2 wrong usage. */
export async function runCommand(tools: Tools, args: readonly string[]): Promise<0 | 1 | 2> {
  const program = new Command()
    .description('Tools of the Banking Order Service for partners. Each prints its options with --help.')
    .addHelpText('after', '\nExit code: 0 success, 1 failure, 2 the command line is wrong.')
    .configureHelp({
      commandUsage: () => commandLine('TOOL', '[options]'),
      subcommandTerm: (tool) => commandLine(tool.name() as ToolName),
      visibleCommands: ({ commands }) => [...commands],
    })
    .showHelpAfterError()
    .exitOverride();
  for (const [name, [about, open]] of Object.entries(tools)) {
    // A tool that the arguments do not name has only a line in the help.
    const tool = args.includes(name) ? await open() : new Command(name);
    program.addCommand(tool.summary(about));
  }
  return runProgram(program, args);
}

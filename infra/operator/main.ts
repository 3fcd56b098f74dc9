import { Command as Program, CommanderError, Option } from 'commander';
import { RequestError } from '#shared/core/errors.ts';
import { answersOnStdout } from '#shared/platform/output.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import type { Command, CommandOutput, CommandTargets } from './command.ts';
import { commands, commonOptions } from './commands.ts';
import { connectAccount } from './preflight/clients.ts';
import type { OperatorDependencies, Target } from './target.ts';
import { connectTarget } from './target.ts';
import { UsageError } from './values.ts';

type Terminal = { readonly out: (text: string) => void; readonly err: (text: string) => void };
/** Values of options, by their names without dashes. */
type RawValues = Record<string, string | undefined>;

/**
 * Runs one command line and returns the exit code: 0 done; 1 refused, failed or problems found; 2 wrong usage.
 * `connect` opens the table, `account` the AWS account of the shell's credentials.
 */
export async function runCommandLine(
  args: readonly string[],
  connect: (target: Target) => OperatorDependencies,
  { out, err }: Terminal,
  account: CommandTargets['account'] = connectAccount,
): Promise<0 | 1 | 2> {
  let code: 0 | 1 = 0;
  const program = new Program('npm run operator --')
    .usage('COMMAND [options]')
    .description('Commands for operators of the banking order service, locally and on AWS.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        out(text.trimEnd());
      },
      writeErr: (text) => {
        err(text.trimEnd());
      },
    })
    .showHelpAfterError(helpHint)
    .addHelpText('after', afterOverview);
  for (const [name, command] of Object.entries(commands))
    addCommand(program, name, command, async (options, json) => {
      const { table, 'local-dir': localDir, 'clients-file': clientsFile } = options;
      const targets = { table: () => connect({ table, localDir, clientsFile }), account };
      const output = await command.run(targets, options, err);
      out(json ? JSON.stringify(output, null, 2) : formatOutput(output));
      if (command.alarming(output)) code = 1;
    });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    // The error or the help is already printed.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof UsageError || (error instanceof RequestError && error.kind === 'badRequest')) {
      err(`${error.message}\n${helpHint}`);
      return 2;
    }
    err(error instanceof RequestError ? error.message : describeFailure(error));
    return 1;
  }
}

const helpHint = 'npm run operator -- --help lists the commands.';
const afterOverview = `
Every command takes --json. COMMAND --help lists its other options.
Without --table a command works on the running local environment (npm start); preflight works on an AWS account.
Exit codes: 0 done; 1 refused or failed; 2 wrong usage.`;

function addCommand(
  program: Program,
  name: string,
  { about, options, takesTable }: Command,
  run: (rawValues: RawValues, json: boolean) => Promise<void>,
): void {
  const rawValues: RawValues = {};
  const needed = Object.entries(options).filter(([, { required }]) => required);
  const added = program
    .command(name)
    .description(about)
    .usage([...needed.map(([option, { value }]) => `--${option} ${value}`), '[options]'].join(' '))
    .option('--json', 'Print JSON.')
    .action(({ json = false }: { readonly json?: boolean }) => run(rawValues, json));
  const taken: Readonly<Record<string, { readonly value: string; readonly about: string }>> = {
    ...options,
    ...(takesTable && commonOptions),
  };
  for (const [option, { value, about: text }] of Object.entries(taken)) {
    if (value === '') {
      added.option(`--${option}`, text).on(`option:${option}`, () => (rawValues[option] = 'given'));
      continue;
    }
    added.addOption(
      new Option(`--${option} <${value}>`, text).argParser((given: string) => {
        // A repeated option is ambiguous.
        if (rawValues[option] !== undefined) throw new UsageError(`--${option} is given twice.`);
        rawValues[option] = given;
      }),
    );
  }
}

function formatOutput(output: CommandOutput | readonly CommandOutput[]): string {
  if (!(output instanceof Array)) return formatRecord(output);
  return output.length === 0 ? 'None.' : output.map(formatRecord).join('\n\n');
}

function formatRecord(output: CommandOutput): string {
  const width = Math.max(...Object.keys(output).map((name) => name.length));
  const indent = `\n${' '.repeat(width + 2)}`;
  const lines = Object.entries(output).map(([name, value]) => {
    const valueLines = formatValue(value);
    return `${name.padEnd(width)}  ${valueLines.length === 0 ? '-' : valueLines.join(indent)}`;
  });
  const secret = Object.keys(output).some((name) => name.endsWith('Secret'));
  return [...lines, ...(secret ? ['The secret is shown only once: pass it on through a safe channel.'] : [])].join(
    '\n',
  );
}

function formatValue(value: CommandOutput[string]): readonly string[] {
  if (value instanceof Array) return value.map((row) => Object.values(row).map(formatFact).join('  '));
  if (typeof value !== 'object' || value === null) return [formatFact(value)];
  return Object.entries(value).map(([name, fact]) => `${name} ${formatFact(fact)}`);
}

function formatFact(value: string | number | null): string {
  return value === null ? '-' : String(value);
}

/** Returns the text for an error; the message of an SDK error contains no data. */
function describeFailure(error: unknown): string {
  if (error instanceof StoreUnavailable)
    return 'The table does not respond. The outcome of the command is unknown: repeat it with the same ids and keys.';
  if (!(error instanceof Error)) return 'Failed.';
  if (error.name === 'ResourceNotFoundException')
    return 'Cannot find the table: check its name (--table, --restored), AWS_REGION and the AWS credentials.';
  return `${error.name}: ${error.message}`;
}

if (import.meta.main) {
  answersOnStdout();
  process.exitCode = await runCommandLine(process.argv.slice(2), (target) => connectTarget(target, process.env), {
    out: (text) => process.stdout.write(`${text}\n`),
    err: (text) => process.stderr.write(`${text}\n`),
  });
}

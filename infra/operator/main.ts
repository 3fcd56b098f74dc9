import { setTimeout as sleep } from 'node:timers/promises';
import { Command as Program, CommanderError, Option } from 'commander';
import { RequestError } from '#shared/core/errors.ts';
import { answersOnStdout } from '#shared/platform/output.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import type { Command, CommandOption, CommandOutput, CommandTargets } from './command.ts';
import { flagOf } from './command.ts';
import { commands, commonOptions } from './commands.ts';
import { connectAccount } from './preflight/clients.ts';
import type { OperatorDependencies, Target } from './target.ts';
import { connectTarget } from './target.ts';
import { recorded } from './status/trail.ts';
import { UsageError } from './values.ts';

type Terminal = {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Waits before `--watch` runs a command again; false ends the watch. */
  readonly again?: (seconds: number) => Promise<boolean>;
  /** Written before each output of a watch: it clears the screen. */
  readonly clear?: string;
};
/** Values of a command's options, by parameter. */
type Values = Target & { readonly json?: true; readonly watch?: true } & Readonly<Record<string, unknown>>;

/**
 * Runs one command line and returns the exit code: 0 done; 1 refused, failed or problems found; 2 wrong usage.
 * `connect` opens the table, `account` the AWS account of the shell's credentials.
 */
export async function runCommandLine(
  args: readonly string[],
  connect: (target: Target) => OperatorDependencies,
  { out, err, again = () => Promise.resolve(false), clear = '' }: Terminal,
  account: CommandTargets['account'] = connectAccount,
): Promise<0 | 1 | 2> {
  let code: 0 | 1 = 0;
  const program = new Program('npm run operator --')
    .usage('COMMAND [options]')
    .description('Commands for operators of the banking order service, locally and on AWS. Begin with status.')
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
  const inGroups = Object.values(groups).flat();
  const place = (name: string): number => (inGroups.includes(name) ? inGroups.indexOf(name) : inGroups.length);
  for (const [name, command] of Object.entries(commands).toSorted(([one], [other]) => place(one) - place(other)))
    addCommand(program, name, command, async ({ json, watch, table, localDir, clientsFile, ...values }) => {
      const targets = { table: () => connect({ table, localDir, clientsFile }), account };
      const runOnce = async (): Promise<void> => {
        const run = () => command.run(targets, values, err);
        const output = command.isRecorded ? await recorded(targets.table(), name, values, run) : await run();
        const text = json === true ? JSON.stringify(output, null, 2) : formatOutput(output, command.none);
        out(watch === undefined ? text : `${clear}${text}`);
        code = command.alarming(output) ? 1 : 0;
      };
      await runOnce();
      const { watchedEverySeconds: seconds } = command;
      while (watch !== undefined && seconds !== undefined && (await again(seconds)))
        // What fails now may work the next time.
        await runOnce().catch((error: unknown) => {
          err(describeFailure(error));
          code = 1;
        });
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

/** Commands by the operator's task, in the order of `--help`. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'Look first': ['status', 'health', 'trail'],
  Onboarding: [
    ...[
      'preflight',
      'company:create',
      'company:list',
      'company:plan',
      'client:create',
      'client:revoke',
      'client:restore',
    ],
    ...['account:create', 'account:list', 'account:status', 'account:limit', 'account:shards', 'secret:rotate'],
  ],
  Banks: [
    ...['bank:connect', 'bank:check', 'bank:list', 'bank:webhooks', 'bank:rotate-callbacks', 'bank:truststore'],
    ...['bank:pause', 'bank:resume', 'bank:read-lists', 'bank:disconnect'],
  ],
  Notifications: ['webhook:endpoints', 'webhook:hold', 'webhook:release'],
  Money: [
    ...['reconcile', 'bank:unanswered', 'bank:repeat', 'bank:unmatched', 'bank:credit', 'bank:return'],
    ...['account:deposit', 'company:equal-payouts', 'dispute:open', 'dispute:decide'],
  ],
  'Table and restore': ['migrate', 'restore:freeze', 'restore:compare', 'restore:bring', 'restore:switch'],
};

const helpHint = 'npm run operator -- --help lists the commands.';
const afterOverview = `
Every command takes --json. COMMAND --help lists its other options.
Without --table a command works on the running local environment (npm start); preflight works on an AWS account.
Exit codes: 0 done; 1 refused, failed or problems found; 2 wrong usage.`;

function addCommand(
  program: Program,
  name: string,
  { about, options, takesTable, watchedEverySeconds }: Command,
  run: (values: Values) => Promise<void>,
): void {
  const needed = Object.entries(options).filter(([, { required }]) => required);
  const added = program
    .command(name)
    .helpGroup(`${Object.keys(groups).find((group) => groups[group]?.includes(name)) ?? 'Others'}:`)
    .description(about)
    .usage(
      [...needed.map(([parameter, option]) => `--${flagOf(parameter, option)} ${option.value}`), '[options]'].join(' '),
    )
    .option('--json', 'Print JSON.')
    .action(run);
  if (watchedEverySeconds !== undefined)
    added.option('--watch', `Runs it again every ${watchedEverySeconds} seconds, until Ctrl-C.`);
  for (const [parameter, option] of Object.entries(options)) added.addOption(programOption(parameter, option));
  if (takesTable)
    for (const [parameter, option] of Object.entries(commonOptions)) added.addOption(programOption(parameter, option));
}

/** @throws UsageError naming the option, without its value, which may be a secret. */
function programOption(parameter: string, definition: CommandOption): Option {
  const { value, schema, about, required } = definition;
  const flag = flagOf(parameter, definition);
  const option = new Option(value === '' ? `--${flag}` : `--${flag} <${value}>`, about);
  // Commander names a value after the flag, and a command after its parameter.
  option.attributeName = () => parameter;
  const read = (text: string, earlier: unknown): unknown => {
    // A repeated option is ambiguous.
    if (earlier !== undefined && value !== '') throw new UsageError(`--${flag} is given twice.`);
    if (/^--[a-z]/u.test(text)) throw new UsageError(`--${flag} has no value.`);
    const { data, error } = schema.safeParse(text);
    if (error !== undefined) throw new UsageError(`--${flag} ${error.issues[0]?.message}.`);
    return data;
  };
  // `preset` is the text of an option without a value.
  return option.makeOptionMandatory(required).preset('given').argParser(read);
}

function formatOutput(output: CommandOutput | readonly CommandOutput[], none: string): string {
  if (!(output instanceof Array)) return formatRecord(output);
  return output.length === 0 ? none : output.map(formatRecord).join('\n\n');
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
  if (value instanceof Array) return formatRows(value);
  if (typeof value !== 'object' || value === null) return [formatFact(value)];
  return Object.entries(value).map(([name, fact]) => `${name} ${formatFact(fact)}`);
}

/** Characters to which the cells of a column are padded at most. Longer ones move the rest of their line. */
const paddedTo = 44;

/** A table with the names of its columns above them. */
function formatRows(rows: readonly Readonly<Record<string, string | number | null>>[]): readonly string[] {
  const [first] = rows;
  if (first === undefined) return [];
  const table = [Object.keys(first), ...rows.map((row) => Object.values(row).map(formatFact))];
  const widths = Object.keys(first).map((_, column) =>
    Math.min(paddedTo, Math.max(...table.map((cells) => cells[column]?.length ?? 0))),
  );
  return table.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
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
    again: async (seconds) => {
      await sleep(seconds * 1000);
      return true;
    },
    clear: process.stdout.isTTY ? '\u001b[2J\u001b[H' : '',
  });
}

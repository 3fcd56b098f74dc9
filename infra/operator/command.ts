import type * as z from 'zod';
import type { AccountClients } from './preflight/clients.ts';
import type { OperatorDependencies } from './target.ts';
import type * as read from './values.ts';

export type CommandOption<T = unknown> = {
  readonly flag?: string | undefined;
  /** Placeholder of the value; empty for an option without a value. */
  readonly value: string;
  readonly schema: z.ZodType<T>;
  readonly about: string;
  readonly required: boolean;
};
/** Options by parameter; the flag is the same name in kebab case unless the option has its own. */
type Options = Readonly<Record<string, CommandOption>>;
type Values<O extends Options> = { readonly [Name in keyof O]: O[Name] extends CommandOption<infer T> ? T : never };
type Fact = string | number | null;
type FactList = readonly Readonly<Record<string, Fact>>[];
/** Printed with one fact per line. A fact may be a list of records, or one record. */
export type CommandOutput = Readonly<Record<string, Fact | FactList | Readonly<Record<string, Fact>>>>;
/** Targets of a command: a table, or an AWS account without a table yet. Opened after the options are parsed. */
export type CommandTargets = {
  readonly table: () => OperatorDependencies;
  readonly account: (region: string) => AccountClients;
};
type Run<Target, V, Output = CommandOutput | readonly CommandOutput[]> = (
  target: Target,
  values: V,
  /** Prints progress, separate from the output. */
  print: (text: string) => void,
) => Promise<Output>;
export type Command = {
  readonly about: string;
  readonly options: Options;
  /** Whether the command also takes the options that name a table. */
  readonly takesTable: boolean;
  /** Whether each run is an entry in the trail of commands: it changes something for partners. */
  readonly isRecorded: boolean;
  /** Takes the values that the schemas of the options returned, by parameter. */
  readonly run: Run<CommandTargets, Readonly<Record<string, unknown>>>;
  /** Whether the output is of problems: exit code 1. */
  readonly alarming: (output: CommandOutput | readonly CommandOutput[]) => boolean;
  /** Printed for an empty list: what there is none of. */
  readonly none: string;
  /** Seconds until `--watch` runs it again; absent for a command without that option. */
  readonly watchedEverySeconds?: number;
};

export function required<T>({ word, schema, hint = '' }: read.Kind<T>, about = '', flag?: string): CommandOption<T> {
  return { flag, value: word, schema, about: `${hint}${about}`.trim(), required: true };
}

export function optional<T>(kind: read.Kind<T>, about: string, flag?: string): CommandOption<T | undefined> {
  return { ...required(kind, about, flag), required: false };
}

/** Defines a command that changes something in a table. */
export function command<O extends Options, Output extends CommandOutput>(
  about: string,
  options: O,
  run: Run<OperatorDependencies, Values<O>, Output>,
  alarming: (output: Output) => boolean = () => false,
): Command {
  return {
    ...accountCommand(about, options, ({ table }, ...rest) => run(table(), ...rest), alarming),
    takesTable: true,
    isRecorded: true,
  };
}

/**
 * Defines a command on a table that lists records.
 * @param none printed when the list is empty: what there is none of
 * @param areProblems whether each record is a problem
 */
export function listCommand<O extends Options>(
  about: string,
  options: O,
  run: Run<OperatorDependencies, Values<O>>,
  none: string,
  areProblems = false,
): Command {
  const alarming = (output: CommandOutput | readonly CommandOutput[]): boolean =>
    areProblems && output instanceof Array && output.length > 0;
  const defined = accountCommand(about, options, ({ table }, ...rest) => run(table(), ...rest), alarming);
  return { ...defined, takesTable: true, none };
}

/** Returns a command whose runs are entries in the trail, or that of a command which only looks. */
export function withTrail(isRecorded: boolean, defined: Command): Command {
  return { ...defined, isRecorded };
}

/** Defines a command on an AWS account without a table yet. */
export function accountCommand<O extends Options, Output extends CommandOutput | readonly CommandOutput[]>(
  about: string,
  options: O,
  run: Run<CommandTargets, Values<O>, Output>,
  alarming: (output: Output) => boolean = () => false,
): Command {
  return {
    about,
    takesTable: false,
    isRecorded: false,
    options,
    // Assertion: the values are those of the options.
    run: async (targets, values, print) => run(targets, values as Values<O>, print),
    // Assertion: the output comes from `run` of the same command.
    alarming: (output) => alarming(output as Output),
    none: '',
  };
}

/** Returns the name of an option on the command line, without its dashes. */
export function flagOf(parameter: string, { flag }: Pick<CommandOption, 'flag'>): string {
  return flag ?? parameter.replaceAll(/[A-Z]/gu, '-$&').toLowerCase();
}

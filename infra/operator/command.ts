import type * as z from 'zod';
import type { AccountClients } from './preflight/clients.ts';
import type { OperatorDependencies } from './target.ts';
import type * as read from './values.ts';
import { UsageError } from './values.ts';

type Option<T = unknown> = {
  readonly flag?: string | undefined;
  /** Placeholder of the value. */
  readonly value: string;
  readonly schema: z.ZodType<T>;
  readonly about: string;
  readonly required: boolean;
};
/** Options by parameter; the flag is the same name in kebab case unless the option has its own. */
type Options = Readonly<Record<string, Option>>;
type Values<O extends Options> = { readonly [Name in keyof O]: O[Name] extends Option<infer T> ? T : never };
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
/** Raw values by flag. */
type RawValues = Readonly<Record<string, string | undefined>>;
export type Command = {
  readonly about: string;
  /** Options by flag. */
  readonly options: Options;
  /** Whether the command also takes the options that name a table. */
  readonly takesTable: boolean;
  /** @throws UsageError that names the flag. */
  readonly run: Run<CommandTargets, RawValues>;
  /** Whether the output is of problems: exit code 1. */
  readonly alarming: (output: CommandOutput | readonly CommandOutput[]) => boolean;
};

export function required<T>({ word, schema, hint = '' }: read.Kind<T>, about = '', flag?: string): Option<T> {
  return { flag, value: word, schema, about: `${hint}${about}`.trim(), required: true };
}

export function optional<T>(kind: read.Kind<T>, about: string, flag?: string): Option<T | undefined> {
  return { ...required(kind, about, flag), schema: kind.schema.optional(), required: false };
}

/** Defines a command on a table. @param alarming `true`: each record of the output is a problem. */
export function command<O extends Options, Output extends CommandOutput | readonly CommandOutput[]>(
  about: string,
  options: O,
  run: Run<OperatorDependencies, Values<O>, Output>,
  alarming: boolean | ((output: Output) => boolean) = false,
): Command {
  return {
    ...accountCommand(about, options, ({ table }, ...rest) => run(table(), ...rest), alarming),
    takesTable: true,
  };
}

/** Defines a command on an AWS account without a table yet. */
export function accountCommand<O extends Options, Output extends CommandOutput | readonly CommandOutput[]>(
  about: string,
  options: O,
  run: Run<CommandTargets, Values<O>, Output>,
  alarming: boolean | ((output: Output) => boolean) = false,
): Command {
  const isAlarming =
    typeof alarming === 'function'
      ? alarming
      : (output: Output) => alarming && Array.isArray(output) && output.length > 0;
  return {
    about,
    takesTable: false,
    options: Object.fromEntries(Object.entries(options).map(([name, option]) => [flagOf(name, option), option])),
    run: async (targets, rawValues, print) => run(targets, parse(options, rawValues), print),
    // Assertion: the output comes from `run` of the same command.
    alarming: (output) => isAlarming(output as Output),
  };
}

function flagOf(name: string, { flag }: Option): string {
  return flag ?? name.replaceAll(/[A-Z]/gu, '-$&').toLowerCase();
}

function parse<O extends Options>(options: O, rawValues: RawValues): Values<O> {
  const values = Object.entries(options).map(([name, option]) => {
    const flag = flagOf(name, option);
    const { data, error } = option.schema.safeParse(rawValues[flag]);
    if (error === undefined) return [name, data];
    throw new UsageError(`--${flag} ${rawValues[flag] === undefined ? 'is required' : error.issues[0]?.message}.`);
  });
  // Assertion: the entries are the options, parsed by their schemas.
  return Object.fromEntries(values) as Values<O>;
}

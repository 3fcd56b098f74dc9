import type { Command } from './commands.ts';
import { commands } from './commands.ts';

/** Options of every command: where the table is and how to answer. */
export const commonOptions = {
  table: { value: 'NAME', about: 'Table of an environment on AWS, with the AWS credentials and region of your shell.' },
  'local-dir': { value: 'PATH', about: 'Folder of a local environment. Default LOCAL_DIR, else .local.' },
  'clients-file': { value: 'PATH', about: 'With --table: where an issuer of ours keeps the secrets of clients.' },
} as const;

const flags = [
  ['--json', 'Answer as JSON.'],
  ['--help', 'Show this.'],
] as const;

/** What the command line can do, or what one command takes. */
export function usage(name?: string): string {
  const command = name === undefined ? undefined : commands[name];
  return command === undefined || name === undefined ? overview() : commandUsage(name, command);
}

function overview(): string {
  const names = Object.entries(commands).map(([name, { about }]) => [name, about] as const);
  return [
    'Usage: npm run operator -- COMMAND [options]',
    '',
    'Onboards partners of the banking order service, locally and on AWS.',
    '',
    'Commands (each with --help):',
    ...columns(names),
    '',
    'Options of every command:',
    ...columns(commonRows()),
    '',
    'Without --table the command works on the local environment that runs (npm start).',
    'Exit codes: 0 done; 1 refused or failed; 2 wrong usage.',
  ].join('\n');
}

function commandUsage(name: string, { about, options }: Command): string {
  const needed = Object.entries(options).filter(([, option]) => option.required === true);
  const line = needed.map(([option, { value }]) => ` --${option} ${value}`).join('');
  const own = Object.entries(options).map(
    ([option, { value, about: text }]) => [`--${option} ${value}`, text] as const,
  );
  const ownLines = own.length > 0 ? ['Options:', ...columns(own), ''] : [];
  return [
    `Usage: npm run operator -- ${name}${line} [options]`,
    '',
    about,
    '',
    ...ownLines,
    ...columns(commonRows()),
  ].join('\n');
}

function commonRows(): readonly (readonly [string, string])[] {
  return [
    ...Object.entries(commonOptions).map(([option, { value, about }]) => [`--${option} ${value}`, about] as const),
    ...flags,
  ];
}

function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

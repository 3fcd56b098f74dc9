import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { babel, InstrumenterOptions } from '@stryker-mutator/instrumenter';
import { Instrumenter } from '@stryker-mutator/instrumenter';

/** One change of a file, at this line and column from 1. `within` is the text of the line where it begins. */
export type Mutant = {
  readonly id: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly within: string;
  readonly original: string;
  readonly replacement: string;
};

/** The files with all their mutants inside, by path from the root. `activeVariable` says which one acts. */
type Instrumented = {
  readonly contents: Readonly<Record<string, string>>;
  readonly mutants: readonly Mutant[];
};

/** Read by the instrumented code itself, when the first of its modules begins. */
export const activeVariable = '__STRYKER_ACTIVE_MUTANT__';

/** A mutant that fails whatever imports the file: it proves that what is tested is the instrumented text. */
export const canaryOf = (file: string): string => `canary ${file}`;

const silent = () => undefined;
const no = () => false;
const logger = {
  ...{ isTraceEnabled: no, isDebugEnabled: no, isInfoEnabled: no, isWarnEnabled: no, isErrorEnabled: no },
  ...{ isFatalEnabled: no, trace: silent, debug: silent, info: silent, warn: silent, error: silent, fatal: silent },
};

/** Messages of errors that no partner sees: a test of them would demand their spelling. */
const messagesOfErrors: InstrumenterOptions['ignorers'][number] = {
  shouldIgnore: (path) => {
    const { node, parent } = path as babel.NodePath;
    const className = parent.type === 'NewExpression' && parent.callee.type === 'Identifier' ? parent.callee.name : '';
    const isText = node.type === 'StringLiteral' || node.type === 'TemplateLiteral';
    return isText && /(Error|CorruptItem|ForbiddenTarget|StoreUnavailable)$/.test(className) ? 'message' : undefined;
  },
};

const options: InstrumenterOptions = { plugins: null, excludedMutations: [], ignorers: [messagesOfErrors] };

/** Constants are mutated like all other values: Stryker takes `as const` for a type and would leave them alone. */
const withoutConst = (text: string): string => text.replaceAll(/ as const\b/g, (matched) => ' '.repeat(matched.length));

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Ids are those of the order: the same files give the same ids. */
export async function instrument(root: string, files: readonly string[]): Promise<Instrumented> {
  const sources = new Map(files.map((name) => [name, withoutConst(readFileSync(join(root, name), 'utf8'))]));
  const inputs = [...sources].map(([name, content]) => ({ name, content, mutate: true }));
  const { files: outputs, mutants } = await new Instrumenter(logger).instrument(inputs, options);
  const contents = outputs.map(({ name, content }): [string, string] => [name, content + canary(name)]);
  return {
    contents: Object.fromEntries(contents),
    mutants: mutants
      .filter(({ status }) => status !== 'Ignored')
      .map(({ id, fileName, location: { start, end }, replacement }) => {
        const lines = (sources.get(fileName) ?? '').split('\n');
        const touched = lines.slice(start.line, end.line + 1);
        const [first = ''] = touched;
        touched[touched.length - 1] = touched.at(-1)?.slice(0, end.column) ?? '';
        touched[0] = touched[0]?.slice(start.column) ?? '';
        const original = oneLine(touched.join('\n'));
        const named = { within: first.trim(), original, replacement: oneLine(replacement) };
        return { id, file: fileName, line: start.line + 1, column: start.column + 1, ...named };
      }),
  };
}

const canary = (file: string): string => {
  const id = JSON.stringify(canaryOf(file));
  return `\nstryCov_9fa48(${id});\nif (stryMutAct_9fa48(${id})) throw new Error(${id});\n`;
};

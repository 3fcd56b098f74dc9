import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Import = { readonly from: string; readonly line: number; readonly typeOnly: boolean };
export type Source = {
  /** From the root of the repository, as `shared/domain/money.ts`. */
  readonly path: string;
  readonly lines: readonly string[];
  readonly imports: readonly Import[];
};
/** A rule that the sources must keep, with the reason that a failure gives. */
export type Rule = {
  readonly why: string;
  readonly where: (path: string) => boolean;
  /** What breaks the rule in a source, each with its line. */
  readonly breaks: (source: Source) => readonly { readonly line: number; readonly what: string }[];
};

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Every TypeScript file of the project. */
export const sources: readonly Source[] = ['shared', 'functions', 'infra', 'test'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
    .map((path) => read(`${folder}/${path}`)),
);

function read(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8');
  const lines = text.split('\n');
  const statements = [
    ...text.matchAll(/^(?:import|export)\s(?!(?:const|function|type \w+ =|async|class))[^;]*?from '([^']+)'/gmu),
  ];
  const bare = [...text.matchAll(/(?:^import |\bimport\()'([^']+)'/gmu)];
  const imports = [...statements, ...bare].map((match): Import => {
    const [statement, from = ''] = match;
    return {
      from: from.startsWith('.') ? normalize(join(dirname(path), from)) : from,
      line: text.slice(0, match.index).split('\n').length,
      typeOnly: /^(?:import|export) type /u.test(statement),
    };
  });
  return { path, lines, imports };
}

/** `file:line: what` for everything that breaks a rule. */
export function broken({ where, breaks }: Rule): readonly string[] {
  return sources
    .filter(({ path }) => where(path))
    .flatMap((source) => breaks(source).map(({ line, what }) => `${source.path}:${line}: ${what.trim()}`));
}

/** Lines that match, comments left out. */
export function matching(pattern: RegExp): Rule['breaks'] {
  return ({ lines }) =>
    lines.flatMap((text, index) =>
      pattern.test(text) && !/^\s*(?:\/\/|\/?\*)/u.test(text) ? [{ line: index + 1, what: text }] : [],
    );
}

/** Imports that are not allowed. */
export function importing(forbidden: (from: string, path: string) => boolean): Rule['breaks'] {
  return ({ imports, path }) =>
    imports.filter(({ from }) => forbidden(from, path)).map(({ from, line }) => ({ line, what: `imports ${from}` }));
}

export const inside =
  (...folders: readonly string[]) =>
  (path: string): boolean =>
    folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
export const outside =
  (within: readonly string[], ...except: readonly string[]) =>
  (path: string): boolean =>
    inside(...within)(path) && !inside(...except)(path);

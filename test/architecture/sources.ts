import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

type Import = {
  /** Path from the root of the repository; of a package its name. */
  readonly from: string;
  /** As it stands in the source. */
  readonly specifier: string;
  /** What is imported, by the names that the other file exports; `*` is everything. */
  readonly names: readonly string[];
  readonly line: number;
  readonly typeOnly: boolean;
};
type Named = { readonly name: string; readonly line: number; readonly isType: boolean };
export type Source = {
  /** From the root of the repository, as `shared/core/money.ts`. */
  readonly path: string;
  readonly lines: readonly string[];
  readonly imports: readonly Import[];
  readonly exports: readonly Named[];
  readonly tree: ts.SourceFile;
};
/** A rule that the sources must keep, with the reason that a failure gives. */
export type Rule = {
  readonly why: string;
  readonly where: (path: string) => boolean;
  /** What breaks the rule in a source, each with its line. */
  readonly breaks: (source: Source) => readonly { readonly line: number; readonly text: string }[];
};

export const root = fileURLToPath(new URL('../../', import.meta.url));

export type Manifest = {
  readonly name: string;
  /** Its one public entry, from its own folder. */
  readonly exports: { readonly '.': string };
  readonly imports: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

const packageFile = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly name: string;
  readonly imports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
};

/** Folders of packages, as `packages/cdk-local`, each with its manifest. */
export const packages: ReadonlyMap<string, Manifest> = new Map(
  readdirSync(join(root, 'packages')).map((name) => {
    const file = join(root, 'packages', name, 'package.json');
    return [`packages/${name}`, JSON.parse(readFileSync(file, 'utf8')) as Manifest];
  }),
);
const entries = new Map(
  [...packages].map(([folder, manifest]) => [manifest.name, normalize(join(folder, manifest.exports['.']))]),
);

/** Whether a file is the public entry of a package. */
export function isEntry(path: string): boolean {
  return [...entries.values()].includes(path);
}

/** The package of a file, as `packages/cdk-local`; nothing for one of the service. */
export function packageOf(path: string): string | undefined {
  return /^packages\/[^/]+(?=\/)/u.exec(path)?.[0];
}

/** Whether a file is a test or serves tests alone. */
export function isOfTests(path: string): boolean {
  return /^(?:packages\/[^/]+\/)?test\//u.test(path);
}

/** Every TypeScript file of the project. */
export const sources: readonly Source[] = [...['shared', 'functions', 'infra', 'packages', 'test', 'tools']].flatMap(
  (folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/u.test(path) && !path.includes('node_modules'))
      .map((path) => parseSource(`${folder}/${path}`, readFileSync(join(root, folder, path), 'utf8'))),
);

/** @param path from the root of the repository */
export function parseSource(path: string, text: string): Source {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return { path, lines: text.split('\n'), imports: importsOf(path, tree), exports: exportsOf(tree), tree };
}

function importsOf(path: string, tree: ts.SourceFile): readonly Import[] {
  return nodesOf(tree).flatMap((node): readonly Import[] => {
    const found = (specifier: string, names: readonly string[], typeOnly: boolean): readonly Import[] =>
      resolve(path, specifier).map((from) => ({ from, specifier, names, line: lineOf(node), typeOnly }));
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier))
      return found(
        node.moduleSpecifier.text,
        [...(node.importClause?.name ? ['default'] : []), ...namesIn(node.importClause?.namedBindings)],
        node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword,
      );
    if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier))
      return found(node.moduleSpecifier.text, node.exportClause ? namesIn(node.exportClause) : ['*'], node.isTypeOnly);
    const [argument] =
      ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword ? node.arguments : [];
    return argument && ts.isStringLiteral(argument) ? found(argument.text, ['*'], false) : [];
  });
}

function namesIn(bindings: ts.NamedImportBindings | ts.NamedExportBindings | undefined): readonly string[] {
  if (bindings === undefined) return [];
  if (ts.isNamedImports(bindings) || ts.isNamedExports(bindings))
    return bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text);
  return ['*'];
}

function exportsOf(tree: ts.SourceFile): readonly Named[] {
  return tree.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause))
      return statement.exportClause.elements
        .filter(({ name }) => name.text !== 'default')
        .map(({ name }) => ({
          name: name.text,
          line: lineOf(statement),
          isType: statement.isTypeOnly,
        }));
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
    if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    const names = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.flatMap(({ name }) => boundNames(name))
      : 'name' in statement
        ? boundNames(statement.name as ts.Identifier)
        : [];
    const isType = ts.isTypeAliasDeclaration(statement) || ts.isInterfaceDeclaration(statement);
    return names.map((name) => ({ name, line: lineOf(statement), isType }));
  });
}

function boundNames(name: ts.BindingName): readonly string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? boundNames(element.name) : []));
}

/** A file's nodes, outer before inner. */
export function nodesOf(node: ts.Node): readonly ts.Node[] {
  const inner: ts.Node[] = [];
  ts.forEachChild(node, (child) => void inner.push(...nodesOf(child)));
  return [node, ...inner];
}

export function lineOf(node: ts.Node): number {
  return node.getSourceFile().getLineAndCharacterOfPosition(node.getStart()).line + 1;
}

export function isText(node: ts.Node): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/** Strings of a file, types left out: a template as it is written, each with its line. */
export function textsIn(tree: ts.SourceFile): readonly { readonly line: number; readonly text: string }[] {
  return nodesOf(tree)
    .filter(isText)
    .map((node) => ({ line: lineOf(node), text: node.getText() }));
}

/**
 * Paths of what is imported, from the root of the repository, by each condition of package.json; of a package its name.
 */
function resolve(path: string, specifier: string): readonly string[] {
  if (specifier.startsWith('.')) return [normalize(join(dirname(path), specifier))];
  const folder = packageOf(path);
  if (folder !== undefined) return [fromPackage(folder, specifier)];
  const conditions = packageFile.imports[specifier];
  if (typeof conditions === 'object') return Object.values(conditions).map((file) => normalize(file));
  return [
    /^#(?:shared|functions|infra|test|tools)\//u.test(specifier)
      ? specifier.slice(1)
      : (entries.get(specifier) ?? specifier),
  ];
}

/** As Node resolves it by the manifest of the package; what the manifest does not name stays as it is. */
function fromPackage(folder: string, specifier: string): string {
  for (const [name, target] of Object.entries(packages.get(folder)?.imports ?? {})) {
    const [before = '', after] = name.split('*');
    if (after === undefined ? specifier !== name : !specifier.startsWith(before) || !specifier.endsWith(after))
      continue;
    const middle = specifier.slice(before.length, specifier.length - (after ?? '').length);
    const found = target.replace('*', middle);
    return found.startsWith('.') ? join(folder, found) : found.replace(`${packageFile.name}/`, '');
  }
  return entries.get(specifier) ?? specifier;
}

/** `file:line: text` for everything that breaks a rule. */
export function broken({ where, breaks }: Rule): readonly string[] {
  return sources
    .filter(({ path }) => where(path))
    .flatMap((source) => breaks(source).map(({ line, text }) => `${source.path}:${line}: ${text.trim()}`));
}

/** Lines that match, comments left out. */
export function matching(pattern: RegExp): Rule['breaks'] {
  return ({ lines }) =>
    lines.flatMap((text, index) =>
      pattern.test(text) && !/^\s*(?:\/\/|\/?\*)/u.test(text) ? [{ line: index + 1, text }] : [],
    );
}

/** Imports that are not allowed. */
export function importing(forbidden: (from: string, path: string) => boolean): Rule['breaks'] {
  return ({ imports, path }) =>
    imports.filter(({ from }) => forbidden(from, path)).map(({ from, line }) => ({ line, text: `imports ${from}` }));
}

export const inside =
  (...folders: readonly string[]) =>
  (path: string): boolean =>
    folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
export const outside =
  (within: readonly string[], ...except: readonly string[]) =>
  (path: string): boolean =>
    inside(...within)(path) && !inside(...except)(path);

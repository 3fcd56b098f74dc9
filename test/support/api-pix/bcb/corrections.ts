import { load } from 'js-yaml';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a document of OpenAPI, walked through as it is
type Node = any;

/** Kinds of mistakes in BCB's file, with how often each is corrected. */
type Corrections = {
  /** A `pattern` between slashes, `/^\d{11}$/`: no text matches it. */
  readonly slashedPatterns: string[];
  /** `required` names a member that the schema does not have. */
  readonly unknownRequired: string[];
  /** A text that must also be one of several objects: nothing can be. */
  readonly textsAsObjects: string[];
  /** One of several objects whose members are all optional: whatever is one of them is all of them. */
  readonly ambiguous: string[];
  /** The default of a number is a text. */
  readonly textDefaults: string[];
  /** A location has no scheme, so it is no URI. */
  readonly locationsAsUri: string[];
};

/** BCB's file of API Pix 2.9.0, corrected, and where. */
export function readCorrectedFile(): { readonly document: Node; readonly corrections: Corrections } {
  const document: Node = load(readFileSync(join(import.meta.dirname, 'openapi-2.9.0.yaml'), 'utf8'));
  const corrections: Corrections = {
    slashedPatterns: [],
    unknownRequired: [],
    textsAsObjects: [],
    ambiguous: [],
    textDefaults: [],
    locationsAsUri: [],
  };
  walk(document, '', (node, path) => {
    correct(document, node, path, corrections);
  });
  return { document, corrections };
}

function correct(document: Node, node: Node, path: string, corrections: Corrections): void {
  const slashed = typeof node.pattern === 'string' ? /^\/(.*)\/$/u.exec(String(node.pattern))?.[1] : undefined;
  if (slashed !== undefined) {
    node.pattern = slashed;
    corrections.slashedPatterns.push(path);
  }
  if (Array.isArray(node.required) && !path.includes('/parameters/')) {
    const known = membersOf(document, node);
    // What a schema beside it in an `allOf` has is not seen from here: those are left to it.
    const unknown = (node.required as string[]).filter((name) => !known.has(name));
    if (unknown.length > 0 && !isPartOfAllOf(path)) {
      node.required = (node.required as string[]).filter((name) => known.has(name));
      corrections.unknownRequired.push(path);
      // An empty list is no valid one.
      if (node.required.length === 0) delete node.required;
    }
  }
  for (const part of (node.allOf ?? []) as Node[]) {
    if (part.$ref !== undefined || !Array.isArray(part.required)) continue;
    const known = membersOf(document, node);
    const named = (part.required as string[]).filter((name) => known.has(name));
    if (named.length < part.required.length) corrections.unknownRequired.push(path);
    part.required = named;
  }
  if (node.type === 'string' && Array.isArray(node.anyOf)) {
    delete node.anyOf;
    corrections.textsAsObjects.push(path);
  }
  if (path.endsWith('/properties/encerramento') && Array.isArray(node.oneOf)) {
    node.anyOf = node.oneOf;
    delete node.oneOf;
    corrections.ambiguous.push(path);
  }
  if (node.type === 'integer' && typeof node.default === 'string') {
    node.default = Number(node.default);
    corrections.textDefaults.push(path);
  }
  if (node.format === 'uri' && path.endsWith('/properties/location')) {
    delete node.format;
    corrections.locationsAsUri.push(path);
  }
}

const isPartOfAllOf = (path: string): boolean => /\/allOf\/\d+$/u.test(path);

/** Names of the members that a schema has, by itself or by what it refers to. */
function membersOf(document: Node, schema: Node, seen = new Set<Node>()): Set<string> {
  if (schema === undefined || seen.has(schema)) return new Set();
  seen.add(schema);
  if (schema.$ref !== undefined)
    return membersOf(document, document.components.schemas[String(schema.$ref).split('/').at(-1)!], seen);
  const parts = ['allOf', 'oneOf', 'anyOf'].flatMap((name) => (schema[name] ?? []) as object[]);
  return new Set([
    ...Object.keys((schema.properties ?? {}) as object),
    ...parts.flatMap((part) => [...membersOf(document, part, seen)]),
  ]);
}

function walk(node: Node, path: string, visit: (node: Node, path: string) => void): void {
  if (node === null || typeof node !== 'object') return;
  visit(node, path);
  for (const [name, child] of Object.entries(node as object)) walk(child, `${path}/${name}`, visit);
}

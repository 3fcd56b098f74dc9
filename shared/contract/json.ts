const plainInteger = /^(0|[1-9]\d{0,14})$/u;

/**
 * Parses JSON (RFC 8259), numbers by their own text (the `context.source` of ECMAScript's JSON.parse). A number that is
 * not a plain non-negative integer becomes a symbol with that text: an amount such as 10.10 must never pass through
 * binary floating point, and no schema but those of numbers takes a symbol.
 * @throws MalformedJson for what is not JSON, an object that names a member twice, and nesting beyond any use.
 */
export function parseJson(text: string): unknown {
  const revive = (_name: string, value: unknown, context: { source?: string }): unknown =>
    typeof value === 'number' && context.source !== undefined && !plainInteger.test(context.source)
      ? Symbol(context.source)
      : value;
  try {
    requireSingleMembers(text);
    return JSON.parse(text, revive as (this: unknown, key: string, value: unknown) => unknown);
  } catch (error) {
    if (error instanceof SyntaxError) throw new MalformedJson('', 'The body is not valid JSON.');
    throw error;
  }
}

/** A number of `parseJson` as its sender wrote it; undefined for what is no number. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'symbol') return value.description;
  return typeof value === 'number' ? String(value) : undefined;
}

/** A text that is not JSON, or ambiguous. `path` is the dotted path of the fault, empty for the whole text. */
export class MalformedJson extends Error {
  override readonly name = 'MalformedJson';
  readonly path: string;
  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** No request nests deeper than six levels; the parser's own recursion can take some thousands. */
export const maxDepth = 100;

/** An object or a list that is open, and what in it is being read. */
type Level =
  { readonly names: Set<string>; place: string; expectsName: boolean } | { readonly names?: undefined; place: number };

/**
 * Demands that no object of a JSON text names a member twice. Readers differ in which of the two they take (RFC 8259,
 * 4), so that a proxy and this service could see two different amounts. Names are compared as they are read, escapes
 * resolved.
 *
 * One pass over the text without recursion. It finds names in any text and checks no other grammar: `JSON.parse` says
 * whether the text is JSON.
 * @throws MalformedJson for the first member that is named again, and for nesting beyond `maxDepth`.
 * @throws SyntaxError for a name that is no JSON string.
 */
function requireSingleMembers(text: string): void {
  const open: Level[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const level = open.at(-1);
    switch (text[at]) {
      case '{':
        open.push({ names: new Set(), place: '', expectsName: true });
        break;
      case '[':
        open.push({ place: 0 });
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        if (level?.names !== undefined) level.expectsName = true;
        else if (level !== undefined) level.place += 1;
        break;
      case '"': {
        const end = endOfString(text, at);
        if (level?.names !== undefined && level.expectsName) {
          enter(open, level, JSON.parse(text.slice(at, end)) as string);
          level.expectsName = false;
        }
        at = end - 1;
        break;
      }
      default:
    }
    if (open.length > maxDepth)
      throw new MalformedJson('', `The body is nested deeper than ${String(maxDepth)} levels.`);
  }
}

function enter(open: readonly Level[], level: Level & { names: Set<string> }, name: string): void {
  const known = level.names.has(name);
  level.names.add(name);
  level.place = name;
  if (known)
    throw new MalformedJson(
      open.map(({ place }) => place).join('.'),
      'Is in one object twice, and it is not clear which value is meant. Send it once.',
    );
}

/** Behind the closing quote of the string that begins at `start`; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

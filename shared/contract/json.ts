const plainInteger = /^(0|[1-9]\d{0,14})$/u;

/**
 * Parses JSON (RFC 8259). A number that is not a plain non-negative integer becomes a symbol with its own text
 * (`context.source`), which only schemas of numbers take: amounts never pass through binary floating point.
 * @throws MalformedJson for invalid JSON, an object with a duplicate name, or too deep nesting
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

/** Returns the source text of a number of `parseJson`; undefined for any other value. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'symbol') return value.description;
  return typeof value === 'number' ? String(value) : undefined;
}

/** Invalid or ambiguous JSON. `path` is dotted, empty for the whole text. */
export class MalformedJson extends Error {
  override readonly name = 'MalformedJson';
  readonly path: string;
  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** Maximum nesting: requests need at most six levels, and the parser's recursion could take thousands. */
export const maxDepth = 100;

/** An open object or list, and the current name or index in it. */
type Level =
  { readonly names: Set<string>; place: string; expectsName: boolean } | { readonly names?: undefined; place: number };

/**
 * Rejects duplicate names in an object. Readers resolve duplicates differently (RFC 8259, 4): a proxy and this service
 * could read two different amounts. Escapes in names are resolved. One pass without recursion; `JSON.parse` checks the
 * rest of the grammar.
 * @throws MalformedJson for the first duplicate, and for nesting beyond `maxDepth`
 * @throws SyntaxError for a name that is no JSON string
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

/** The index after the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

/** A schema or another part of an OpenAPI document, read as it is. */
export type Node = Readonly<Record<string, unknown>>;
/** `breaks`: a client by the earlier document may fail. `name`: what CHANGELOG.md must name. */
export type Difference = {
  readonly place: string;
  readonly change: string;
  readonly breaks: boolean;
  readonly name: string;
};
/** A client sends a request and reads an answer: what one may gain, the other may lose. */
export type Direction = 'REQUEST' | 'ANSWER';

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function nodeOf(value: unknown): Node {
  return isNode(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the part to which a reference leads, else the part itself. */
export function resolve(document: Node, part: unknown): Node {
  const { $ref, ...rest } = nodeOf(part);
  if (typeof $ref !== 'string') return nodeOf(part);
  const found = $ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, name) => nodeOf(at)[name], document);
  return { ...resolve(document, found), ...rest };
}

const lowest = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties'];
const highest = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties'];
const exact = ['pattern', 'format', 'multipleOf', 'uniqueItems'];
/** Rules between fields: another one counts as a break, whatever it says. */
const rules = ['allOf', 'anyOf', 'if', 'then', 'else', 'not', 'dependentSchemas', 'dependentRequired', 'propertyNames'];

/** Compares the schemas of two documents, which the comparison resolves. */
export function schemaComparison(before: Node, after: Node, direction: Direction) {
  const isRequest = direction === 'REQUEST';
  /** Pairs of references without a difference: most parts are referred to many times. */
  const same = new Set<string>();
  const compare = (one: unknown, other: unknown, at: string): readonly Difference[] => {
    const [old, now] = [nameOf(one), nameOf(other)];
    const pair = `${old ?? ''} ${now ?? ''}`;
    const isCommon = old !== undefined && now !== undefined;
    if (isCommon && same.has(pair)) return [];
    // A shared schema differs once, under its own name, however many places refer to it.
    const place = now ?? at;
    const [was, is] = [resolve(before, one), resolve(after, other)];
    const found = [
      ...types(was, is, place, isRequest),
      ...values(was, is, place, isRequest),
      ...limits(was, is, place, isRequest),
      ...fields(was, is, place),
      ...alternatives(was, is, place),
      ...(was['items'] !== undefined || is['items'] !== undefined
        ? compare(was['items'], is['items'], `${place}[]`)
        : []),
    ];
    if (isCommon && found.length === 0) same.add(pair);
    return found;
  };

  const fields = (was: Node, is: Node, place: string): readonly Difference[] => {
    const [old, now] = [nodeOf(was['properties']), nodeOf(is['properties'])];
    const [oldRequired, required] = [listOf(was['required']), listOf(is['required'])];
    return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((name): readonly Difference[] => {
      const here = place === '' ? name : `${place}.${name}`;
      const found = (change: string, breaks: boolean): Difference => ({ place: here, change, breaks, name });
      if (!(name in now)) return [found('field removed', true)];
      if (!(name in old))
        return [
          isRequest && required.includes(name) ? found('required field added', true) : found('field added', false),
        ];
      const [was, is] = [oldRequired.includes(name), required.includes(name)];
      return [
        ...(was === is ? [] : [found(is ? 'field is now required' : 'field is no longer required', isRequest === is)]),
        ...compare(old[name], now[name], here),
      ];
    });
  };

  /** Pairs each alternative with one that differs compatibly. */
  const alternatives = (was: Node, is: Node, place: string): readonly Difference[] => {
    const [old, now] = [listOf(was['oneOf']), listOf(is['oneOf'])];
    if (old.length === 0 && now.length === 0) return [];
    const fits = (one: unknown, other: unknown) => compare(one, other, place).every(({ breaks }) => !breaks);
    const lost = old.filter((one) => !now.some((other) => fits(one, other)));
    const gained = now.filter((other) => !old.some((one) => fits(one, other)));
    const same = old.flatMap((one) => {
      const partner = now.find((other) => fits(one, other));
      return partner === undefined ? [] : compare(one, partner, place);
    });
    return [
      ...same,
      ...lost.map(() => ({ place, change: 'alternative removed or changed', breaks: true, name: place })),
      ...gained.map(() => ({ place, change: 'alternative added', breaks: !isRequest, name: place })),
    ];
  };
  return compare;
}

function types(was: Node, is: Node, place: string, isRequest: boolean): readonly Difference[] {
  const [old, now] = [typesOf(was), typesOf(is)];
  const lost = old.filter((type) => !has(now, type));
  const gained = now.filter((type) => !has(old, type));
  if (lost.length + gained.length === 0) return [];
  const change = `type ${old.join('|') || 'any'} is now ${now.join('|') || 'any'}`;
  const widens = now.length === 0 || (old.length > 0 && lost.length === 0);
  const narrows = old.length === 0 || (now.length > 0 && gained.length === 0);
  return [{ place, change, name: place, breaks: isRequest ? !widens : !narrows }];
}

function values(was: Node, is: Node, place: string, isRequest: boolean): readonly Difference[] {
  const [old, now] = [valuesOf(was), valuesOf(is)];
  const isOpen = 'x-extensible-enum' in is;
  const found: Difference[] = [];
  const add = (change: string, breaks: boolean, name = place) => found.push({ place, change, breaks, name });
  if (old === undefined && now !== undefined && isRequest) add('takes only the values of an enumeration', true);
  if (old !== undefined && now === undefined) add('has any value, no longer those of an enumeration', !isRequest);
  if (!isRequest && old !== undefined && isOpen && !('x-extensible-enum' in was))
    add('closed enumeration is open', true);
  if (old === undefined || now === undefined) return found;
  for (const value of old.filter((one) => !now.includes(one))) add(`value ${value} removed`, true, value);
  for (const value of now.filter((one) => !old.includes(one)))
    add(`value ${value} added`, !isRequest && !isOpen, value);
  return found;
}

function limits(was: Node, is: Node, place: string, isRequest: boolean): readonly Difference[] {
  return [...lowest, ...highest, ...exact, ...rules, 'additionalProperties'].flatMap((name) => {
    if (was[name] === is[name]) return [];
    const [old, now] = [plain(was[name], name), plain(is[name], name)];
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    const narrows = isNarrower(name, old, now);
    const widens = isNarrower(name, now, old);
    const breaks = isRequest ? narrows : widens;
    return [{ place, change: `${name} ${said(old)} is now ${said(now)}`, breaks, name: place }];
  });
}

/** The name of the shared schema to which a reference leads. */
function nameOf(part: unknown): string | undefined {
  const { $ref } = nodeOf(part);
  return typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined;
}

function typesOf({ type }: Node): readonly string[] {
  return (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string');
}

function has(types: readonly string[], type: string): boolean {
  return types.length === 0 || types.includes(type) || (type === 'integer' && types.includes('number'));
}

function valuesOf(schema: Node): readonly string[] | undefined {
  const { const: only, enum: closed, 'x-extensible-enum': open } = schema;
  const list = only === undefined ? (closed ?? open) : [only];
  return list === undefined ? undefined : listOf(list).map(String);
}

/** An object without `additionalProperties` is open. */
function plain(value: unknown, name: string): unknown {
  return name === 'additionalProperties' && value !== false ? undefined : value;
}

/** Whether a member of a schema takes less than before; absent, it takes everything. */
function isNarrower(name: string, old: unknown, now: unknown): boolean {
  if (now === undefined) return false;
  if (old === undefined || (!lowest.includes(name) && !highest.includes(name))) return true;
  return lowest.includes(name) ? Number(now) > Number(old) : Number(now) < Number(old);
}

function said(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value).slice(0, 60);
}

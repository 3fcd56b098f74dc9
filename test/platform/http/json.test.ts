import { describe, expect, test } from 'vitest';
import { parseJson, MalformedJson, maxDepth } from '#shared/contract/json.ts';
import { fc } from '#test/support/properties.ts';
import { each } from '#test/support/each.ts';

/** The value of a text for this reader; numbers that it keeps as texts become numbers, as JSON.parse reads them. */
const read = (text: string): unknown => plain(parseJson(text));
function plain(value: unknown): unknown {
  if (typeof value === 'symbol') return Number(value.description);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, plain(inside)]));
}
function fault(text: string): MalformedJson | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    if (error instanceof MalformedJson) return error;
    throw error;
  }
}

/**
 * Without backslashes: where an object before had a member named by one, V8 takes any escaped name of one character for
 * it (`JSON.parse('{"\\\\":1}')`, then `{"\\u0022":2}`). No field has such a name, so both are unknown fields.
 */
const names = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom('__proto__', 'constructor', 'amount', '"', '{', '}', ',', ':', '', '\ud800', 'a\u0000b'),
  )
  .filter((name) => !name.includes('\\'));
const blanks = fc.stringMatching(/^[ \t\r\n]{0,2}$/u);
/** A JSON value as one may write it: blanks anywhere, any character of a string as an escape. */
const { value: documents } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(names.chain(written), fc.double().map(Number).filter(Number.isFinite).map(String), fc.constant('-0.0e-1')),
    fc.constantFrom('null', 'true', 'false', '[]', '{}', '[ ]'),
    tie('object'),
    fc.array(tie('value'), { maxLength: 4 }).map((values) => `[${values.join(' , ')}]`),
  ),
  object: fc
    .uniqueArray(fc.tuple(names, tie('value')), { maxLength: 5, selector: ([name]) => name })
    .chain((members) => fc.tuple(...members.map(([name, value]) => memberOf(name, value))))
    .map((members) => `{${members.join(',')}}`),
}));

function memberOf(name: string, value: string): fc.Arbitrary<string> {
  return fc.tuple(written(name), blanks, blanks).map(([spelled, a, b]) => `${a}${spelled}${b}:${b}${value}${a}`);
}

/** A string as JSON, some of its units as escapes. */
function written(text: string): fc.Arbitrary<string> {
  return fc.array(fc.boolean(), { minLength: text.length, maxLength: text.length }).map((escapes) => {
    const units = escapes.map((escape, at) => {
      const unit = text.charCodeAt(at);
      const plainly = unit >= 0x20 && unit < 0x7f && unit !== 0x22 && unit !== 0x5c;
      return plainly && !escape ? text[at] : `\\u${unit.toString(16).padStart(4, '0')}`;
    });
    return `"${units.join('')}"`;
  });
}

describe('a reader of JSON', () => {
  test('reads every document that names no member twice as JSON.parse does', () => {
    fc.assert(
      fc.property(documents, (text) => {
        expect(read(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 1000 },
    );
  });

  test('reads every value that JSON.stringify writes as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(read(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 1000 },
    );
  });

  test('refuses every document with a member doubled, wherever it is and however its name is written', () => {
    const doubled = names.chain((name) =>
      fc.tuple(memberOf(name, '1'), memberOf(name, '2'), documents, fc.nat(2), fc.integer({ min: 0, max: 6 })),
    );
    fc.assert(
      fc.property(doubled, ([one, other, between, place, depth]) => {
        const members = ['"between-them"', '"before-them"', '"behind-them"'].map((name) => `${name}:${between}`);
        const [middle = '', before = '', behind = ''] = members;
        const object = [`${one},${middle},${other}`, `${before},${one},${other}`, `${one},${other},${behind}`][place];
        const text = `${'{"a":[0,'.repeat(depth)}{${object ?? ''}}${']}'.repeat(depth)}`;
        expect(() => JSON.parse(text) as unknown).not.toThrow();
        expect(fault(text)?.path).toMatch(/^(a\.1\.?){0,6}/u);
        expect(fault(text)).toBeDefined();
      }),
      { numRuns: 1000 },
    );
  });

  test('refuses every text that JSON.parse refuses, and never crashes', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ',',
      ':',
      '"a"',
      '"\\u0061"',
      '1',
      '-',
      'e',
      ' ',
      '\u0000',
      'é',
    );
    const texts = fc.oneof(
      fc.array(pieces, { maxLength: 40 }).map((all) => all.join('')),
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.tuple(documents, fc.nat()).map(([text, cut]) => text.slice(0, cut % (text.length + 1))),
    );
    fc.assert(
      fc.property(texts, (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        if (!valid) expect(fault(text)).toBeDefined();
      }),
      { numRuns: 3000 },
    );
  });

  test.each([
    ['at the top', '{"amount":1,"amount":2}', 'amount'],
    ['with the same value', '{"amount":1,"amount":1}', 'amount'],
    ['in an object within', '{"amount":{"value":1,"currency":"BRL","value":2}}', 'amount.value'],
    ['in an object of a list', '{"events":[{"type":"A"},{"type":"A","type":"B"}]}', 'events.1.type'],
    ['after an object that has the name too', '{"a":{"b":1},"b":{"a":1},"a":2}', 'a'],
    ['once spelled with an escape', '{"amount":1,"am\\u006funt":2}', 'amount'],
    ['twice spelled with an escape', '{"\\u0061":1,"\\u0061":2}', 'a'],
    ['as __proto__', '{"__proto__":1,"__proto__":2}', '__proto__'],
    ['named like a method of objects', '{"toString":1,"toString":2}', 'toString'],
  ])('reports the member that is there twice %s', (_what, text, path) => {
    expect(fault(text)).toMatchObject({ path, message: expect.stringContaining('twice') });
  });

  test.each([
    ['in two objects', '[{"a":1},{"a":2}]'],
    ['in an object and one within it', '{"a":{"a":{"a":1}}}'],
    ['as a name and a text', '{"a":"a","b":["a","a"],"c":"\\"a\\":1"}'],
    ['in another case or form', '{"a":1,"A":2,"á":3,"a\\u0301":4}'],
    ['in texts that look like members', '{"x":"{\\"a\\":1,\\"a\\":2}","y":"\\\\","z":"\\\\\\""}'],
  ])('accepts one name %s', (_what, text) => {
    expect(read(text)).toEqual(JSON.parse(text));
  });

  test('refuses more than a fixed number of levels, whatever the size of the stack', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(read(nested(maxDepth))).toEqual(JSON.parse(nested(maxDepth)));
    expect(fault(nested(maxDepth + 1))?.message).toContain('100 levels');
    expect(fault('{"a":'.repeat(5_000_000))?.message).toContain('100 levels');
  });

  test('takes time in proportion to the text, whatever is in it', () => {
    const seconds = (text: string): number => {
      const start = performance.now();
      fault(text);
      return (performance.now() - start) / 1000;
    };
    const million = 1_000_000;
    const members = Array.from({ length: million / 10 }, (_none, at) => `"n${at}":1`).join(',');
    const texts = {
      'a string that never ends': `"${'a'.repeat(million)}`,
      'quotes that never end': '"'.repeat(million),
      backslashes: `"${'\\'.repeat(million)}`,
      'openings of strings in objects': '{"'.repeat(million / 2),
      'one name after the other': `{${members}}`,
      'one escaped name': `{"${'\\u0061'.repeat(million / 6)}":1}`,
      'commas in an object': `{${','.repeat(million)}`,
      'closings without openings': ']}'.repeat(million / 2),
    };
    // A tenth of a second each on a slow machine; a reader that went back over the text would need hours.
    for (const [name, text] of each(Object.entries(texts))) expect(seconds(text), name).toBeLessThan(20);
  });
});

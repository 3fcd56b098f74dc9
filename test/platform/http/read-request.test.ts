import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { fc } from '#test/support/properties.ts';
import { catchLog } from '#test/support/edge.ts';
import { faultsOf, refused } from '#test/support/refusals.ts';
import { ask, good, id, jsonType } from './probe-contract.ts';

beforeEach(() => {
  catchLog();
});

const amount = (value: string) => `{"amount":{"currency":"BRL","value":${value}}}`;
const fingerprintOf = async (body: string, more: object = {}) => (await ask({ body, ...more })).seen?.fingerprint;

describe('the issues of a request', () => {
  test('are reported together for body, query, path and headers, each with its own field and issue', async () => {
    const response = await ask({
      headers: { ...jsonType, 'idempotency-key': 'é' },
      params: { id: 'no-uuid' },
      query: { limit: ['0'], externalId: ['a', 'b'], more: ['x'] },
      body: JSON.stringify({
        amount: { currency: 'USD', value: '10.001', unit: 1 },
        debtor: { name: '', document: { type: 'CPF', number: '11111111111' } },
        day: '2026-02-30',
        flag: 'yes',
        count: 59,
        tags: ['a', 'b', 'c'],
        fixedAmmount: {},
      }),
    });
    expect(faultsOf(refused(response, 400)).toSorted()).toEqual(
      [
        'idempotency-key:INVALID_FORMAT',
        'id:INVALID_FORMAT',
        'limit:OUT_OF_RANGE',
        'externalId:UNKNOWN_FIELD',
        'more:UNKNOWN_FIELD',
        'amount.currency:INVALID_VALUE',
        'amount.value:INVALID_FORMAT',
        'amount.unit:UNKNOWN_FIELD',
        'debtor.name:TOO_SHORT',
        'debtor.document.number:INVALID_FORMAT',
        'day:INVALID_FORMAT',
        'flag:INVALID_TYPE',
        'count:OUT_OF_RANGE',
        'tags:TOO_LONG',
        'fixedAmmount:UNKNOWN_FIELD',
      ].toSorted(),
    );
    expect(response.json).toMatchObject({ error: 'INVALID_REQUEST', message: 'The request has 15 faulty fields.' });
  });

  test.each([
    ['no bytes', null, ['amount:REQUIRED']],
    ['an empty object', '{}', ['amount:REQUIRED']],
    ['null', 'null', ['body:INVALID_TYPE']],
    ['a list', '[]', ['body:INVALID_TYPE']],
    ['a text', '"{}"', ['body:INVALID_TYPE']],
    ['a whole number', '1', ['body:INVALID_TYPE']],
    ['a decimal number', '1.5', ['body:INVALID_TYPE']],
    ['a decimal number for an object', '{"amount":1.5}', ['amount:INVALID_TYPE']],
    ['a decimal number for a text', '{"amount":{"currency":1.5,"value":"1"}}', ['amount.currency:INVALID_VALUE']],
    [
      'a decimal number for a whole one',
      `{"amount":{"currency":"BRL","value":1},"count":70.5}`,
      ['count:INVALID_TYPE'],
    ],
    ['null for an object', '{"amount":null}', ['amount:INVALID_TYPE']],
    ['an amount without a value', '{"amount":{"currency":"BRL"}}', ['amount.value:REQUIRED']],
    ['an amount whose value is a list', '{"amount":{"currency":"BRL","value":[1]}}', ['amount.value:INVALID_TYPE']],
    ['truncated JSON', '{"amount":', ['body:MALFORMED_JSON']],
    ['JSON with a comma too many', `${good.slice(0, -1)},}`, ['body:MALFORMED_JSON']],
    [
      'JSON nested deeper than any stack',
      `{"amount":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
      ['body:MALFORMED_JSON'],
    ],
    [
      'an object with a member twice',
      '{"amount":{"currency":"BRL","value":1,"v\\u0061lue":2}}',
      ['amount.value:MALFORMED_JSON'],
    ],
    [
      'an object with the field __proto__',
      `${good.slice(0, -1)},"__proto__":{"flag":true}}`,
      ['__proto__:UNKNOWN_FIELD'],
    ],
    ['an object with half a surrogate pair', `${good.slice(0, -1)},"tags":["\\ud800"]}`, ['tags.0:INVALID_FORMAT']],
    ['an object with a control character', `${good.slice(0, -1)},"tags":["a\\u0000"]}`, ['tags.0:INVALID_FORMAT']],
  ])('are reported when its body is %s', async (_name, body, faults) => {
    const response = await ask({ body });
    refused(response, 400, faults);
    expect(response.seen).toBeUndefined();
  });

  test('a field left out is REQUIRED, a field sent as null is INVALID_TYPE', async () => {
    const required = await ask({ body: `${good.slice(0, -1)},"debtor":{"name":null}}` });
    refused(required, 400, ['debtor.name:INVALID_TYPE', 'debtor.document:REQUIRED']);
  });

  test.each([
    ['with the same value', { externalId: ['a', 'a'] }, 'externalId', 'more than once'],
    ['with invalid values', { limit: ['0', 'x'] }, 'limit', 'more than once'],
    ['with replacement characters', { externalId: ['\ufffd', ' '] }, 'externalId', 'more than once'],
    ['and is unknown', { more: ['1', '2'] }, 'more', 'not a query parameter'],
    ['and has no name', { '': ['1', '2'] }, 'query', 'not a query parameter'],
    ['and has neither a name nor UTF-8', { '': ['\ufffd', '2'] }, 'query', 'not a query parameter'],
  ])('have a query parameter once when it is sent twice %s', async (_what, query, field, expectedText) => {
    const description = expect.stringContaining(expectedText) as string;
    const { details } = refused(await ask({ query }), 400);
    expect(details).toEqual([{ field, issue: 'UNKNOWN_FIELD', description }]);
  });

  test('a path or query that was not in UTF-8 is refused by its name', async () => {
    const response = await ask({ params: { id: '\ufffd' }, query: { externalId: ['caf\ufffd'] } });
    refused(response, 400, ['id:INVALID_FORMAT', 'externalId:INVALID_FORMAT']);
  });
});

describe('an amount', () => {
  test.each(['10', '10.0', '10.00', '"10"', '"10.0"', '"10.00"'])('%s is 1000 centavos', async (text) => {
    expect((await ask({ body: amount(text) })).seen?.body.amount).toBe(1000);
  });

  test.each([
    ['0.01', 1],
    ['0.1', 10],
    ['1.1', 110],
    ['0.29', 29],
    ['4.35', 435],
    ['9999999999.99', 999_999_999_999],
    ['"1234567890"', 123_456_789_000],
  ])('%s is %i centavos, without rounding', async (text, centavos) => {
    expect((await ask({ body: amount(text) })).seen?.body.amount).toBe(centavos);
  });

  test.each(['1e1', '1E1', '10e0', '-1', '-0', '0', '0.00', '10.001', '10.000', '99999999999', '1e400', '0.001'])(
    'the number %s is refused as INVALID_FORMAT',
    async (text) => {
      refused(await ask({ body: amount(text) }), 400, ['amount.value:INVALID_FORMAT']);
    },
  );

  test.each(['1e1', '12E2', '"1E+2"', '"1.5e3"'])('the amount %s is refused with the word exponent', async (text) => {
    expect((await ask({ body: amount(text) })).body).toContain('exponent');
  });

  test.each(['"1,00"', '-1', '"10.000"', '"e1"'])(
    'the amount %s is refused without the word exponent',
    async (text) => {
      expect((await ask({ body: amount(text) })).body).not.toContain('exponent');
    },
  );

  test.each(['010', '+1', '.5', '1.', '1_0', 'NaN', '0x10'])(
    'the number %s is refused as malformed JSON',
    async (text) => {
      refused(await ask({ body: amount(text) }), 400, ['body:MALFORMED_JSON']);
    },
  );

  test.each(['010', ' 10', '10 ', '1,00', '1e1', '-1', '+1', '0', '', '10.', '.1', '١٠', '0x10'])(
    'the text "%s" is refused',
    async (text) => {
      refused(await ask({ body: amount(JSON.stringify(text)) }), 400, ['amount.value:INVALID_FORMAT']);
    },
  );

  test('written as number or text is the same request, whatever it is', async () => {
    const amounts = fc.tuple(fc.integer({ min: 0, max: 9_999_999_999 }), fc.integer({ min: 0, max: 99 }));
    await fc.assert(
      fc.asyncProperty(amounts, async ([reais, cents]) => {
        fc.pre(reais + cents > 0);
        const text = `${reais}.${String(cents).padStart(2, '0')}`;
        const spellings = [text, `"${text}"`, ...(cents % 10 === 0 ? [text.slice(0, -1)] : [])];
        const seen = await Promise.all(spellings.map(async (spelling) => (await ask({ body: amount(spelling) })).seen));
        expect(new Set(seen.map((request) => request?.fingerprint)).size).toBe(1);
        expect(seen[0]?.body.amount).toBe(reais * 100 + cents);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a fingerprint', () => {
  const base = '{"amount":{"currency":"BRL","value":"10.00"},"flag":false}';

  test.each([
    ['the order of fields', '{"flag":false,"amount":{"value":"10.00","currency":"BRL"}}'],
    ['white space', ' { "amount" : {"currency":"BRL","value":"10.00"}, "flag":false } '],
    ['the spelling of an amount', '{"amount":{"currency":"BRL","value":10},"flag":false}'],
    ['escapes', '{"\\u0061mount":{"currency":"\\u0042RL","value":"10.00"},"flag":false}'],
  ])('does not depend on %s', async (_name, body) => {
    expect(await fingerprintOf(body)).toBe(await fingerprintOf(base));
  });

  test.each([
    ['an amount', '{"amount":{"currency":"BRL","value":"10.01"},"flag":false}'],
    ['a flag', '{"amount":{"currency":"BRL","value":"10.00"},"flag":true}'],
    ['a field left to its default', '{"amount":{"currency":"BRL","value":"10.00"}}'],
  ])('differs by %s', async (_name, body) => {
    expect(await fingerprintOf(body)).not.toBe(await fingerprintOf(base));
  });

  test('covers path and query, but not request id and idempotency key', async () => {
    const same = await fingerprintOf(good);
    const headers = { ...jsonType, 'idempotency-key': 'other', 'x-request-id': id };
    expect(await fingerprintOf(good, { headers })).toBe(same);
    expect(await fingerprintOf(good, { params: { id: id.toUpperCase() } })).toBe(same);
    expect(await fingerprintOf(good, { params: { id: id.replace('0', '1') } })).not.toBe(same);
    expect(await fingerprintOf(good, { query: { limit: ['2'] } })).not.toBe(same);
  });

  test('stays what it is: keys that are remembered must keep their meaning', async () => {
    const canonical = `{"body":{"amount":1000},"operationId":"probe","params":{"id":"${id}"},"query":{},"version":1}`;
    expect(await fingerprintOf(good)).toBe(createHash('sha256').update(canonical).digest('hex'));
  });
});

describe('an idempotency key', () => {
  const withKey = (key: string | undefined, rule: Parameters<typeof ask>[1]) =>
    ask({ headers: { ...jsonType, ...(key !== undefined && { 'Idempotency-Key': key }) } }, rule);

  test.each([
    ['required', undefined, 'REQUIRED'],
    ['uuid', undefined, 'REQUIRED'],
    ['required', '', 'TOO_SHORT'],
    ['optional', '', 'TOO_SHORT'],
    ['required', 'k'.repeat(256), 'TOO_LONG'],
    ['optional', 'k'.repeat(256), 'TOO_LONG'],
    ['uuid', id + id, 'TOO_LONG'],
    ['required', 'é', 'INVALID_FORMAT'],
    ['required', 'a\tb', 'INVALID_FORMAT'],
    ['required', ' a', 'INVALID_FORMAT'],
    ['uuid', 'k', 'INVALID_FORMAT'],
  ] as const)('under the rule %s is refused when it is "%s", as %s', async (rule, key, issue) => {
    const response = await withKey(key, rule);
    refused(response, 400, [`idempotency-key:${issue}`]);
  });

  test.each(['required', 'optional', 'uuid'] as const)(
    'under the rule %s is refused when it is sent twice',
    async (rule) => {
      for (const headers of [{ 'idempotency-key': [id, id] }, { 'idempotency-key': id, 'Idempotency-Key': 'other' }]) {
        const response = await ask({ headers: { ...jsonType, ...headers } }, rule);
        refused(response, 400, ['idempotency-key:INVALID_VALUE']);
      }
    },
  );

  test.each([
    ['optional', undefined, undefined],
    ['optional', 'k', 'k'],
    ['required', 'a key / with: ~ signs', 'a key / with: ~ signs'],
    ['required', 'k'.repeat(255), 'k'.repeat(255)],
    ['optional', 'k'.repeat(255), 'k'.repeat(255)],
    ['uuid', id, id],
    ['none', 'k', undefined],
    ['none', 'é'.repeat(99), undefined],
  ] as const)(
    'under the rule %s is accepted when it is "%s", and the operation gets %s',
    async (rule, key, reaches) => {
      const { statusCode, seen } = await withKey(key, rule);
      expect([statusCode, seen?.idempotencyKey]).toEqual([200, reaches]);
    },
  );
});

import { beforeEach, describe, expect, test } from 'vitest';
import { catchLog } from '#test/support/edge.ts';
import { refused } from '#test/support/refusals.ts';
import { ask, good } from './probe-contract.ts';

beforeEach(() => {
  catchLog();
});

const fingerprintOf = async (body: string, more: object = {}) => (await ask({ body, ...more })).seen?.fingerprint;

describe('a body', () => {
  test('is read up to 64 KiB, and refused with 413 when it has one byte more, in bytes and not in characters', async () => {
    const padded = (size: number) => good + ' '.repeat(size - good.length);
    expect((await ask({ body: padded(65_536) })).statusCode).toBe(200);
    const tooLarge = await ask({ body: padded(65_537) });
    expect([tooLarge.statusCode, tooLarge.json]).toEqual([
      413,
      { error: 'INVALID_REQUEST', message: 'The body is larger than 65536 bytes.', details: [] },
    ]);
    refused(await ask({ body: 'é'.repeat(32_769) }), 413);
  });

  test.each(['text/plain', 'application/xml', 'application/jsonp', 'application/x-www-form-urlencoded', ''])(
    'is refused with 415 when its type is "%s"',
    async (type) => {
      const response = await ask({ headers: { 'Content-Type': type } });
      refused(response, 415, []);
    },
  );

  test.each([{ 'Content-Type': 'application/json; charset=utf-8' }, { 'CONTENT-TYPE': 'Application/JSON' }, {}, null])(
    'is read as JSON when its headers are %j',
    async (headers) => {
      expect((await ask({ headers })).statusCode).toBe(200);
    },
  );

  test.each([
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; charset=utf8',
    'application/json;',
    'application/json; profile=x',
  ])('is read as UTF-8 when its type is %s', async (type) => {
    expect((await ask({ headers: { 'content-type': type } })).statusCode).toBe(200);
  });

  test.each([
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/json; charset=',
    'application/json; charset=utf-8; charset=latin1',
    'application/json; charset = "us-ascii"',
  ])('is refused with 415, and the message names UTF-8, when its type is %s', async (type) => {
    const response = await ask({ headers: { 'content-type': type } });
    refused(response, 415);
    expect(response.seen).toBeUndefined();
    expect(response.json).toMatchObject({ message: expect.stringContaining('UTF-8') as string });
  });

  test.each([
    ['Latin-1 bytes', Buffer.from(`${good.slice(0, -1)},"tags":["caf\u00e9"]}`, 'latin1').toString('base64'), true],
    ['a surrogate in three bytes', Buffer.from('7b2261223a22eda08022227d', 'hex').toString('base64'), true],
    ['an overlong slash', Buffer.from('7b2261223a22c0af227d', 'hex').toString('base64'), true],
    ['characters that the gateway has replaced', `${good.slice(0, -1)},"tags":["caf\ufffd"]}`, false],
  ])('is refused when it is not in UTF-8 but has %s', async (_what, body, base64) => {
    const response = await ask({ body, base64 });
    refused(response, 400, ['body:MALFORMED_JSON']);
    expect(response.seen).toBeUndefined();
    expect(response.body).toContain('UTF-8');
  });

  test.each(['gzip', 'br', 'GZIP, identity', 'deflate'])(
    'with content-encoding %s is refused with 415',
    async (coding) => {
      const response = await ask({ headers: { 'content-type': 'application/json', 'Content-Encoding': coding } });
      refused(response, 415);
      expect(response.seen).toBeUndefined();
      expect(response.json).toMatchObject({ message: expect.stringContaining('content-encoding') as string });
    },
  );

  test('with content-encoding identity is read', async () => {
    expect((await ask({ headers: { 'content-encoding': 'identity' } })).statusCode).toBe(200);
  });

  test('is refused with that reason when it begins with a byte order mark', async () => {
    const response = await ask({ body: `\ufeff${good}` });
    refused(response, 400, ['body:MALFORMED_JSON']);
    expect(response.body).toContain('(BOM)');
  });

  test('with two content types is refused, whatever they are and however they are spelled', async () => {
    const two = await ask({ headers: { 'content-type': ['application/json', 'application/json'] } });
    refused(two, 400, ['content-type:INVALID_VALUE']);
    const spelled = await ask({ headers: { 'content-type': 'application/json', 'Content-Type': 'text/plain' } });
    refused(spelled, 400, ['content-type:INVALID_VALUE']);
  });

  test('in base64 is the same body', async () => {
    const body = `${good.slice(0, -1)},"tags":["é"]}`;
    const encoded = Buffer.from(body).toString('base64');
    expect(await fingerprintOf(encoded, { base64: true })).toBe(await fingerprintOf(body));
  });
});

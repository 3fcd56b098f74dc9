import { beforeEach, describe, expect, test } from 'vitest';
import { catchLog } from '#test/support/edge.ts';
import { refused } from '#test/support/refusals.ts';
import { ask, good } from './probe-contract.ts';

beforeEach(() => {
  catchLog();
});

describe('a text', () => {
  const tagged = (tag: string) => ask({ body: `${good.slice(0, -1)},"tags":[${JSON.stringify(tag)}]}` });

  test.each([
    ['a zero-width space', 'a\u200bb'],
    ['a joiner', 'a\u200db'],
    ['a soft hyphen', 'a\u00adb'],
    ['a turn of direction', 'a\u202eb'],
    ['a byte order mark', '\ufeffa'],
    ['a tag', 'a\u{e0041}'],
    ['a line separator', 'a\u2028b'],
    ['a paragraph separator', 'a\u2029b'],
    ['a control of the second set', 'a\u0085b'],
    ['a delete', 'a\u007f'],
    ['a blank before it', ' a'],
    ['a blank behind it', 'a '],
    ['an ideographic blank behind it', 'a\u3000'],
    ['nothing but blanks', ' \u00a0 '],
  ])('is refused as an external id, in a body or a query, when it has %s', async (_what, text) => {
    refused(await tagged(text), 400, ['tags.0:INVALID_FORMAT']);
    refused(await ask({ query: { externalId: [text] } }), 400, ['externalId:INVALID_FORMAT']);
  });

  test.each(['a b', 'Zo\u00eb \u6f22\u5b57 \u{1f600} \u05e2\u05d1\u05e8\u05d9\u05ea', 'a/b#c%20+', '\u2800'])(
    '"%s" is kept as it is',
    async (text) => {
      expect((await tagged(text)).seen?.body.tags).toEqual([text]);
    },
  );

  test('keeps its outer blanks as a name, but is refused when it has invisible characters', async () => {
    const named = (name: string) =>
      ask({
        body: `${good.slice(0, -1)},"debtor":{"name":${JSON.stringify(name)},"document":{"type":"CPF","number":"52998224725"}}}`,
      });
    expect((await named(' Maria ')).seen?.body.debtor?.name).toBe(' Maria ');
    refused(await named('Ma\u200bria'), 400, ['debtor.name:INVALID_FORMAT']);
  });
});

describe('a whole number', () => {
  const counted = (count: string) => ask({ body: `${good.slice(0, -1)},"count":${count}}` });

  test.each(['60', '60.0', '60.000'])('may be written %s, which is one request', async (text) => {
    const { seen } = await counted(text);
    expect(seen?.body.count).toBe(60);
    expect(seen?.fingerprint).toBe((await counted('60')).seen?.fingerprint);
  });

  test.each([
    ['60.5', 'INVALID_TYPE'],
    ['6e1', 'INVALID_TYPE'],
    ['"60"', 'INVALID_TYPE'],
    ['null', 'INVALID_TYPE'],
    ['59', 'OUT_OF_RANGE'],
    ['59.0', 'OUT_OF_RANGE'],
    ['101', 'OUT_OF_RANGE'],
    ['-60', 'OUT_OF_RANGE'],
    ['99999999999999999999', 'OUT_OF_RANGE'],
  ])('is refused when it is %s (%s), and the response contains the allowed range', async (text, issue) => {
    const response = await counted(text);
    refused(response, 400, [`count:${issue}`]);
    expect(response.body).toContain('whole number from 60 to 100');
  });
});

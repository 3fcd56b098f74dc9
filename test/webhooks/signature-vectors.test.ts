import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { verify, verifyBody } from '#docs/samples/typescript/verify.ts';
import { signatureVectors } from '#tools/signature-vectors.ts';
import { hexMatches, standardErrors } from '@banking-order/partner-tools';

const { secret, vectors } = signatureVectors();
const file = new URL('../../docs/samples/signature-vectors.json', import.meta.url);

test('docs/samples/signature-vectors.json is what the sender signs: if not, run `npm run tool -- tools/signature-vectors.ts`', () => {
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ secret, vectors });
});

describe.each(vectors)('$name', ({ headers, body, receivedAt: nowSeconds, expected }) => {
  const raw = Buffer.from(body);

  test('has the expected result by the definition of the body signature and by the published library', () => {
    const given = [headers['x-signature-sha256'], headers['x-signature-sha256-previous']];
    expect(given.some((value) => value !== undefined && hexMatches(raw, value, secret))).toBe(expected.bodySignature);
    expect(standardErrors(raw, headers, secret, nowSeconds * 1000).length === 0).toBe(expected.webhookSignature);
  });

  test.each([
    ['bytes', raw],
    ['text', body],
  ])('has the expected result by verify.ts when the body is %s', (_kind, rawBody) => {
    const ackOrRetry = verify(rawBody, headers, secret, { nowSeconds });
    expect(ackOrRetry.genuine).toBe(expected.webhookSignature);
    expect(verifyBody(rawBody, headers, secret)).toBe(expected.bodySignature);
  });
});

describe('verify.ts', () => {
  const [good] = vectors;
  const { headers, body, receivedAt: nowSeconds } = good!;

  test('names the notification, by which a repetition is recognised', () => {
    expect(verify(body, headers, secret, { nowSeconds })).toEqual({ genuine: true, id: headers['webhook-id'] });
  });

  test.each(['yesterday', '', 'NaN', '1768478400,0'])('refuses the timestamp %j', (timestamp) => {
    const ackOrRetry = verify(body, { ...headers, 'webhook-timestamp': timestamp }, secret, { nowSeconds });
    expect(ackOrRetry).toEqual({ genuine: false, because: 'too old or too new' });
  });

  test('uses the clock of the machine when no time is given', () => {
    expect(verify(body, headers, secret)).toEqual({ genuine: false, because: 'too old or too new' });
  });

  test('takes no header that came twice', () => {
    const twice = { ...headers, 'webhook-id': ['one', 'two'] };
    expect(verify(body, twice, secret, { nowSeconds })).toEqual({ genuine: false, because: 'unsigned' });
  });
});

import { generateKeyPair, SignJWT } from 'jose';
import type { JWTPayload } from 'jose';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clientIdOf, InvalidToken, tokenVerifier } from '#shared/access/verify-token.ts';

const issuer = 'https://issuer.example';
const nowMs = Date.parse('2026-01-15T12:00:00.000Z');
const inSeconds = (seconds: number): number => nowMs / 1000 + seconds;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: nowMs });
});
afterEach(() => {
  vi.useRealTimers();
});

/** What becomes of a token with these times, read this long after noon. */
async function verified(times: JWTPayload, laterMs = 0): Promise<string> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const token = await new SignJWT({ iss: issuer, ...times }).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
  vi.setSystemTime(nowMs + laterMs);
  const verify = tokenVerifier({ issuers: [issuer], keys: () => Promise.resolve(publicKey), nowMs: Date.now });
  return verify(token).then(
    () => 'accepted',
    (error: unknown) => (error instanceof InvalidToken ? error.tokenError : String(error)),
  );
}

describe('a token', () => {
  test.each([
    [0, 'accepted'],
    [30, 'accepted'],
    [31, 'EARLY'],
  ])(
    'with its nbf in %i seconds is %s, because the clock of the issuer may be 30 seconds ahead',
    async (seconds, expected) => {
      expect(await verified({ nbf: inSeconds(seconds), exp: inSeconds(3600) })).toBe(expected);
    },
  );

  test.each([
    [999, 'accepted'],
    [1000, 'EXPIRED'],
  ])('a token that expires in one second is, %i milliseconds later, %s', async (laterMs, expected) => {
    expect(await verified({ exp: inSeconds(1) }, laterMs)).toBe(expected);
  });

  test.each([
    ['', undefined],
    ['c', 'c'],
    ['c'.repeat(256), 'c'.repeat(256)],
    ['c'.repeat(257), undefined],
  ])('names a client of 1 to 256 characters: %s', (azp, expected) => {
    expect(clientIdOf({ azp })).toBe(expected);
  });
});

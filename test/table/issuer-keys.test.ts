import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { IssuerKey } from '#shared/access/issuer-key-store.ts';
import { issuerKeysPut, readIssuerKeys } from '#shared/access/issuer-key-store.ts';
import { onEveryStore } from '../support/stores.ts';

const key = (kid: string): IssuerKey => ({ kty: 'RSA', kid, use: 'sig', n: 'A'.repeat(342), e: 'AQAB' });
const at = (askedAtMs: number, ...kids: string[]) => ({ keys: kids.map(key), askedAtMs });

onEveryStore((open) => {
  describe("an issuer's keys", () => {
    test('come back as they were kept', async () => {
      const jwksUri = `https://issuer.example/${randomUUID()}`;
      expect(await readIssuerKeys(open(), jwksUri)).toBeUndefined();
      await open().writeOne(issuerKeysPut(jwksUri, at(1000, 'a', 'b'), 5000));
      expect(await readIssuerKeys(open(), jwksUri)).toEqual(at(1000, 'a', 'b'));
    });

    test('give way to newer ones, and never to older ones, whichever is written last', async () => {
      const jwksUri = `https://issuer.example/${randomUUID()}`;
      for (const askedAtMs of [2000, 3000, 1000]) {
        await open().writeOne(issuerKeysPut(jwksUri, at(askedAtMs, `of-${askedAtMs}`), 5000));
      }
      expect(await readIssuerKeys(open(), jwksUri)).toEqual(at(3000, 'of-3000'));
    });

    test('are not returned for another address', async () => {
      const jwksUri = `https://issuer.example/${randomUUID()}`;
      await open().writeOne(issuerKeysPut(jwksUri, at(1000, 'a'), 5000));
      expect(await readIssuerKeys(open(), `${jwksUri}/other`)).toBeUndefined();
    });
  });
});

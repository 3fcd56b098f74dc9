import { expect, test } from 'vitest';
import { exchanges } from '#shared/bank/calls/exchange.ts';
import { identityPool } from '#shared/bank/calls/exchange.ts';
import { bankJson } from '#shared/bank/dialects/efi/bank-json.ts';
import { certificate, privateKey } from './bank-certificate.ts';

const identity = { certificate, key: privateKey, authorities: certificate };

test.each([
  ['certificate', { ...identity, certificate: `${certificate}\n${certificate}` }],
  ['key', { ...identity, key: `${privateKey}\n` }],
  ['authorities', { ...identity, authorities: `${certificate}\n${certificate}` }],
])('a connection pool is replaced when the identity has another %s, and kept when it is the same', (_what, rotated) => {
  const poolOf = identityPool((one) => exchanges(one, { parse: bankJson }));
  const before = poolOf(identity);
  expect(poolOf({ ...identity })).toBe(before);
  expect(poolOf(rotated)).not.toBe(before);
});

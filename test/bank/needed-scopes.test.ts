import { operations } from '@banking-order/fake-bank';
import { expect, test } from 'vitest';
import { capabilities } from '#shared/bank/dialects/efi/manifest.ts';
import { check } from '#shared/bank/dialects/efi/check.ts';

const sorted = (scopes: readonly string[]): readonly string[] => [...new Set(scopes)].toSorted();

test('bank:check needs the scope of every operation of the bank when the contract includes everything', () => {
  expect(sorted(check.scopes(capabilities))).toEqual(sorted(operations.map(({ scope }) => scope)));
});

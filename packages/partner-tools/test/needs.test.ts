import { expect, test } from 'vitest';
import { example } from '#functions/accounts/capabilities/contract.ts';
import type { Capabilities } from '#partner-tools/api/capabilities.ts';
import { ToolFailure } from '#partner-tools/failures.ts';
import { describeRefused, separate } from '#partner-tools/scenarios/needs.ts';
import { scenarios } from '#partner-tools/scenarios/scenarios.ts';

const everything: Capabilities = example().response.body;
const namesOf = (chosen: readonly { readonly name: string }[]) => chosen.map(({ name }) => name);

test('a bank that can do everything takes part in every scenario', () => {
  const { possible, refused } = separate(scenarios, everything);
  expect(possible).toEqual(scenarios);
  expect(refused).toEqual([]);
});

test.each([
  ['registers no key', { keyTypes: [] }, 'pix-key-by-phone needs a PIX key of type PHONE'],
  ['registers no phone', { keyTypes: ['EMAIL'] }, 'pix-key-by-phone needs a PIX key of type PHONE'],
  ['has no disputes', { disputes: false }, 'disputed-payment needs disputes'],
] as const)('a bank that %s takes part in the others alone, and the rest are named', (_what, more, line) => {
  const { possible, refused } = separate(scenarios, { ...everything, ...more });
  expect(describeRefused(refused)).toMatch(new RegExp(`did not run:\\n {2}${line}$`, 'u'));
  expect(namesOf(possible)).toEqual(namesOf(scenarios).filter((name) => !line.startsWith(name)));
});

test('a single scenario that the bank cannot take part in is a failure, with what it needs', () => {
  const chosen = scenarios.filter(({ name }) => name === 'pix-key-by-phone');
  expect(() => separate(chosen, { ...everything, keyTypes: [] })).toThrow(ToolFailure);
  expect(() => separate(chosen, { ...everything, keyTypes: [] })).toThrow(/needs a PIX key of type PHONE/u);
});

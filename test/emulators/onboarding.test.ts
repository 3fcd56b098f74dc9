import { expect, it } from 'vitest';
import { readApiUrl, onboard } from '#tools/emulators/deployment.ts';
import { seedSandbox } from '@banking-order/local-environment';
import { companyOfScenarios } from '@banking-order/partner-tools';
import { testOperator } from '../operator/terminal.ts';

/** Two companies as the sandbox has them, without what is made at random. */
const likeness = (companies: Awaited<ReturnType<typeof onboard>>) =>
  companies.map(({ name, accounts }) => ({ name, accounts: accounts.map(({ id: _id, ...facts }) => facts) }));

it("makes the sandbox's companies by the operator's command alone", async () => {
  const operator = testOperator();
  const companies = await onboard((...args) => operator.json(...args));
  const seeded = await seedSandbox({ ...testOperator(), registry: { register: () => Promise.resolve() } });
  expect(likeness(companies)).toEqual(likeness(seeded).filter(({ name }) => name !== companyOfScenarios));
  for (const { clientId, clientSecret, webhookSecret } of companies) {
    expect(operator.secrets.get(clientId)).toBe(clientSecret);
    expect(webhookSecret).toMatch(/^whsec_/u);
  }
});

it.each([
  'https://abc123.execute-api.sa-east-1.amazonaws.com/local/',
  'https://abc123.execute-api.127.0.0.1:35137:35137/local/',
  'http://abc123.execute-api.localhost:4566//local',
])('reads id and stage of the API out of %s', (url) => {
  expect(readApiUrl(url)).toEqual({ id: 'abc123', stage: 'local' });
});

it('refuses another address', () => {
  expect(() => readApiUrl('https://example.com/local/')).toThrow('not the address of an API Gateway stage');
});

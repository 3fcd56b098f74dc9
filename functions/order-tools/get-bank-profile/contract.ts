import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { BankProfileRecord } from '#shared/sandbox/profile-contract.ts';

export const GetBankProfile = contract({
  operationId: 'getBankProfile',
  method: 'GET',
  path: '/order-tools/v1/bank-profile',
  tag: 'Simulation tools',
  summary: 'Get how narrow the simulated bank is',
  description:
    'What the company has set: `FULL` and `OPEN` unless it has set anything else. Not available in production.',
  responses: { 200: BankProfileRecord },
  tool: true,
});

export const example = (): ExampleOf<typeof GetBankProfile> => ({
  request: {},
  response: { status: 200, body: { profile: 'FULL', schedule: 'OPEN' } },
});

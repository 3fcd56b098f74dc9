import * as z from 'zod';
import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { BankProfileRecord } from '#shared/sandbox/profile-contract.ts';

export const SetBankProfile = contract({
  operationId: 'setBankProfile',
  method: 'PUT',
  path: '/order-tools/v1/bank-profile',
  tag: 'Simulation tools',
  summary: 'Make the simulated bank as narrow as a real one',
  description:
    'From the next request on, the simulated bank refuses what the named bank cannot do, so that you meet it here and not in production: 409 on the field that asks for it. Scheduled payments can have the windows of production. What was created before stays as it is. A field that is left out stays as it is; `FULL` and `OPEN` take both back. 409 for a company with a bank of its own, whose capabilities are that bank’s. Not available in production.',
  body: z.strictObject({
    profile: BankProfileRecord.shape.profile.optional(),
    schedule: BankProfileRecord.shape.schedule.optional(),
  }),
  responses: { 200: BankProfileRecord },
  tool: true,
});

export const example = (): ExampleOf<typeof SetBankProfile> => ({
  request: { body: { profile: 'EFI' } },
  response: { status: 200, body: { profile: 'EFI', schedule: 'OPEN' } },
});

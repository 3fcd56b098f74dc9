import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import type { GetKeyCode } from './contract.ts';

export const example: ExampleOf<typeof GetKeyCode> = {
  request: { params: { accountId: exampleIds.accountId, validationId: exampleIds.validationId } },
  answer: { status: 200, body: { code: '123456', expiresAt: '2026-01-15T12:30:00.000Z' } },
};

import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import type { ResendKeyCode } from './contract.ts';

export const example: ExampleOf<typeof ResendKeyCode> = {
  request: { params: { accountId: exampleIds.accountId }, body: { validationId: exampleIds.validationId } },
  answer: {
    status: 200,
    body: { validationId: exampleIds.validationId, status: 'PENDING', expiresAt: '2026-01-15T12:34:31.250Z' },
  },
};

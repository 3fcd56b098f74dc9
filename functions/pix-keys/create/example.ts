import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import type { CreateKey } from './contract.ts';

export const example: ExampleOf<typeof CreateKey> = {
  request: { params: { accountId: exampleIds.accountId }, body: { type: 'EMAIL', key: 'maria@example.com' } },
  answer: {
    status: 201,
    body: { validationId: exampleIds.validationId, status: 'PENDING', expiresAt: '2026-01-15T12:30:00.000Z' },
  },
};

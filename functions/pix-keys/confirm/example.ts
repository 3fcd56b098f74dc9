import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import type { ConfirmKey } from './contract.ts';

export const example: ExampleOf<typeof ConfirmKey> = {
  request: {
    params: { accountId: exampleIds.accountId },
    body: { validationId: exampleIds.validationId, code: '123456' },
  },
  answer: {
    status: 200,
    body: {
      validationId: exampleIds.validationId,
      status: 'CONFIRMED',
      key: { type: 'EMAIL', key: 'maria@example.com' },
    },
  },
};

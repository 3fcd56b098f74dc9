import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import { runningResend } from '#shared/webhooks/examples.ts';
import type { GetResend } from './contract.ts';

export const example: ExampleOf<typeof GetResend> = {
  request: { params: { id: exampleIds.resendId } },
  answer: {
    status: 200,
    body: { ...runningResend, status: 'COMPLETED', sentCount: 12, completedAt: '2026-01-16T10:01:03.900Z' },
  },
};

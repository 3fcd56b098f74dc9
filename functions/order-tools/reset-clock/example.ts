import type { ExampleOf } from '#shared/contract/example.ts';
import type { ResetClock } from './contract.ts';

export const example: ExampleOf<typeof ResetClock> = {
  request: {},
  answer: { status: 200, body: { now: '2026-01-15T12:00:00.000Z', offsetSeconds: 0 } },
};

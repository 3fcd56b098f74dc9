import type { ExampleOf } from '#shared/contract/example.ts';
import type { GetClock } from './contract.ts';

export const example: ExampleOf<typeof GetClock> = {
  request: {},
  answer: { status: 200, body: { now: '2030-01-10T15:00:00.000Z', offsetSeconds: 125_809_200 } },
};

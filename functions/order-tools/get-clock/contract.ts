import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { ClockRecord } from '#shared/sandbox/clock-contract.ts';

export const GetClock = contract({
  operationId: 'getClock',
  method: 'GET',
  path: '/order-tools/v1/clock',
  tag: 'Simulation tools',
  summary: 'Get the company’s clock',
  description:
    'The time that everything about dates and hours of the company follows. Real time unless the clock was set. Not available in production.',
  responses: { 200: ClockRecord },
  tool: true,
});

export const example = (): ExampleOf<typeof GetClock> => ({
  request: {},
  response: { status: 200, body: { now: '2030-01-10T15:00:00.000Z', offsetSeconds: 125_809_200 } },
});

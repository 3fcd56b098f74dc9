import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { ClockRecord } from '#shared/sandbox/clock-contract.ts';

export const ResetClock = contract({
  operationId: 'resetClock',
  method: 'DELETE',
  path: '/order-tools/v1/clock',
  tag: 'Simulation tools',
  summary: 'Give the company real time again',
  description:
    'What was made in simulated time keeps its dates, and what became due there waits until real time comes to it: begin a new try with new resources. Without a clock that is set this changes nothing. Not available in production.',
  responses: { 200: ClockRecord },
  tool: true,
});

export const example = (): ExampleOf<typeof ResetClock> => ({
  request: {},
  response: { status: 200, body: { now: '2026-01-15T12:00:00.000Z', offsetSeconds: 0 } },
});

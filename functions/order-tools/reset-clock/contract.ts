import * as z from 'zod';
import { ClockRecord } from '#shared/sandbox/clock-contract.ts';
import { contract } from '#shared/contract/contract.ts';

export const ResetClock = contract({
  operationId: 'resetClock',
  method: 'DELETE',
  path: '/order-tools/v1/clock',
  tag: 'Simulation tools',
  summary: 'Give the company real time again',
  description:
    'What was made in simulated time keeps its dates, and what became due there waits until real time comes to it: begin a new try with new resources. Without a clock that is set this changes nothing. Not available in production.',
  idempotencyKey: 'none',
  params: z.strictObject({}),
  query: z.strictObject({}),
  body: z.strictObject({}),
  answers: { 200: ClockRecord },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'INTERNAL_ERROR'],
  tool: true,
});

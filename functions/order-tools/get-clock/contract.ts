import * as z from 'zod';
import { ClockRecord } from '#shared/sandbox/clock-contract.ts';
import { contract } from '#shared/contract/contract.ts';

export const GetClock = contract({
  operationId: 'getClock',
  method: 'GET',
  path: '/order-tools/v1/clock',
  tag: 'Simulation tools',
  summary: 'Get the company’s clock',
  description:
    'The time that everything about dates and hours of the company follows. Real time unless the clock was set. Not available in production.',
  idempotencyKey: 'none',
  params: z.strictObject({}),
  query: z.strictObject({}),
  body: z.strictObject({}),
  answers: { 200: ClockRecord },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'INTERNAL_ERROR'],
  tool: true,
});

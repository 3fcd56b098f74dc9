import * as z from 'zod';
import type { AddDetail, LooseFields, ExampleOf } from '#shared/contract/contract.ts';
import { betweenFields, contract } from '#shared/contract/contract.ts';
import { Moment } from '#shared/contract/date.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { wholeNumber } from '#shared/contract/whole-number.ts';
import { TurnedClockRecord } from '#shared/sandbox/clock-contract.ts';

const longestAdvanceSeconds = 10 * 366 * 86_400;

function exactlyOne({ now, advanceSeconds }: LooseFields, add: AddDetail): void {
  if (now !== undefined && advanceSeconds !== undefined)
    for (const field of ['now', 'advanceSeconds']) add(field, 'MUTUALLY_EXCLUSIVE', 'Send now or advanceSeconds.');
  if (now === undefined && advanceSeconds === undefined) add('now', 'REQUIRED', 'Send now or advanceSeconds.');
}

export const SetClock = contract({
  operationId: 'setClock',
  method: 'PUT',
  path: '/order-tools/v1/clock',
  tag: 'Simulation tools',
  summary: 'Turn the company’s clock forward',
  description:
    'Sets the time of the company, or advances it, and does what became due until then, in order and each at the time at which it became due: expiries, windows, resends. The clock stands at its new time at once. One call runs a bounded number of jobs; `remaining` (counted up to 1000) says how many are left, and `{ "advanceSeconds": 0 }` goes on with them. An earlier `now` is refused. Two advances add up: with an `idempotency-key` a repetition turns nothing, finishes what the first call left, and gives the first answer. Deliveries, tokens, signatures and idempotency keys follow real time. Not available in production.',
  idempotencyKey: 'optional',
  body: z
    .strictObject({
      now: Moment.optional().meta({
        description: 'The company’s new time, not before its present one. Send this or `advanceSeconds`.',
        openapi: { examples: ['2030-01-10T12:00:00-03:00'] },
      }),
      advanceSeconds: wholeNumber({ min: 0, max: longestAdvanceSeconds, examples: [86_400] })
        .optional()
        .meta({ description: 'By how much to advance, whole seconds.' }),
    })
    .check(betweenFields(exactlyOne))
    .meta({ openapi: { minProperties: 1, maxProperties: 1 } }),
  responses: { 200: TurnedClockRecord },
  tool: true,
});

export const example = (): ExampleOf<typeof SetClock> => ({
  request: { body: { advanceSeconds: 86_400 } },
  response: {
    status: 200,
    body: {
      now: '2026-01-16T12:00:00.000Z',
      offsetSeconds: 86_400,
      jobsRun: 1,
      remaining: 0,
      jobs: [
        {
          kind: 'PAY_IN_EXPIRY',
          resource: { type: 'PAY_IN', id: exampleIds.payInId },
          deliveryIds: [exampleIds.deliveryId],
        },
      ],
    },
  },
});

import * as z from 'zod';
import { AmountInput } from '#shared/contract/amount.ts';
import type { IdempotencyRule, RequestOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { LocalDate } from '#shared/contract/date.ts';
import { Limit } from '#shared/contract/page.ts';
import { PartyInput } from '#shared/contract/party.ts';
import { ExternalId, Uuid } from '#shared/contract/text.ts';
import { wholeNumber } from '#shared/contract/whole-number.ts';
import { through } from '#test/support/edge.ts';

/** A contract with every kind of part, to try the wrapper with. */
export function probe(idempotencyKey: IdempotencyRule = 'optional', tool = false) {
  return contract({
    operationId: 'probe',
    method: 'POST',
    path: '/probe/{id}',
    tag: 'Probe',
    summary: 'Probe',
    idempotencyKey,
    params: z.strictObject({ id: Uuid }),
    query: z.strictObject({ limit: Limit.optional(), externalId: ExternalId.optional() }),
    body: z.strictObject({
      amount: AmountInput,
      debtor: PartyInput.optional(),
      day: LocalDate.optional(),
      flag: z.boolean().optional(),
      count: wholeNumber({ min: 60, max: 100 }).optional(),
      tags: z.array(ExternalId).min(1).max(2).optional(),
    }),
    responses: { 200: z.strictObject({ ok: z.boolean() }) },
    errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
    tool,
  });
}
type ProbeRequest = RequestOf<ReturnType<typeof probe>>;

export const id = '0b9cf5a5-2f0d-4a0c-9f39-3f6ad0a8a111';
export const good = '{"amount":{"currency":"BRL","value":"10.00"}}';
export const jsonType = { 'content-type': 'application/json' };

/** Calls the probe; `seen` is what its operation was given, undefined if the request did not get that far. */
export async function ask(edge: Parameters<ReturnType<typeof through>>[0], rule: IdempotencyRule = 'optional') {
  let seen: ProbeRequest | undefined;
  const operation = (request: ProbeRequest) => {
    seen = request;
    return Promise.resolve({ status: 200 as const, body: { ok: true } });
  };
  const response = await through(probe(rule), operation as never, {})({ params: { id: id }, body: good, ...edge });
  return { ...response, seen };
}

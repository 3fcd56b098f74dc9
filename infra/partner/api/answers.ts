import * as z from 'zod';
import type { AnswerOf, Contract } from '#shared/contract/contract.ts';
import type { Refused } from './error-answer.ts';
import { ContractBreach, json, readError } from './error-answer.ts';
import type { Received } from './http.ts';

export type Answer<C extends Contract> = AnswerOf<C> & { readonly received: Received };

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u;

/** A success answer, read strictly by its contract: one field too many or too few is a breach. */
export function readAnswer<C extends Contract>(contract: C, received: Received): Answer<C> {
  const schema = contract.answers[received.status];
  if (schema === undefined) throw new ContractBreach(`${contract.operationId} did not succeed.`, received);
  const read = schema.safeParse(json(received));
  if (!read.success)
    throw new ContractBreach(`${contract.operationId} broke its contract: ${z.prettifyError(read.error)}`, received);
  checkHeaders(received);
  return { status: received.status, body: read.data, received } as unknown as Answer<C>;
}

/** An error answer: the standard body, a status that goes with its code, and a code that the contract names. */
export function readRefusal(contract: Contract, received: Received): Refused {
  const refused = readError(received);
  if (!contract.errors.includes(refused.error))
    throw new ContractBreach(`${contract.operationId} does not name the error ${refused.error}.`, received);
  checkHeaders(received);
  return refused;
}

/** What every answer of a function carries. */
function checkHeaders(received: Received): void {
  const { headers } = received;
  if (!uuid.test(String(headers['x-request-id']))) throw new ContractBreach('x-request-id is no UUID.', received);
  if (!/^application\/json\b/u.test(headers['content-type'] ?? ''))
    throw new ContractBreach('content-type is not application/json.', received);
  if (headers['cache-control'] !== 'no-store') throw new ContractBreach('The answer may be cached.', received);
}

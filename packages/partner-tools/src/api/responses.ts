import * as z from 'zod';
import type { ResponseOf, Contract, ErrorCode } from '#shared/contract/contract.ts';
import { issues } from '#shared/core/errors.ts';
import { ToolFailure } from '../failures.ts';
import type { Reading } from './growth.ts';
import { readBody } from './growth.ts';
import type { HttpResponse } from './http.ts';
import { jsonOf } from './http.ts';

export type SuccessResponse<C extends Contract> = ResponseOf<C> & { readonly received: HttpResponse };

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u;

/** Reads a success by its contract. @throws ContractBreach, by a closed reading also for a surplus field. */
export function readResponse<C extends Contract>(
  contract: C,
  received: HttpResponse,
  reading: Reading,
): SuccessResponse<C> {
  const schema = contract.responses[received.status];
  if (schema === undefined) throw new ContractBreach(`${contract.operationId} did not succeed.`, received);
  const read = readBody(schema, bodyOf(received), reading);
  if (!read.success)
    throw new ContractBreach(
      `The response of ${contract.operationId} does not match its contract: ${z.prettifyError(read.error)}`,
      received,
    );
  checkHeaders(received);
  return { status: received.status, body: read.data, received } as unknown as SuccessResponse<C>;
}

/** Reads an error of the contract. @throws ContractBreach for another code, status or body. */
export function readErrorResponse(
  contract: Contract,
  received: HttpResponse,
  reading: Reading = 'CLOSED',
): ErrorResponse {
  const refused = readError(received, reading);
  if (!contract.errors.includes(refused.error))
    throw new ContractBreach(
      `The contract of ${contract.operationId} does not list the error ${refused.error}.`,
      received,
    );
  checkHeaders(received);
  return refused;
}

/** Checks the headers that every function sends. @throws ContractBreach */
function checkHeaders(received: HttpResponse): void {
  const { headers } = received;
  if (!uuid.test(String(headers['x-request-id']))) throw new ContractBreach('x-request-id is not a UUID.', received);
  if (!/^application\/json\b/u.test(headers['content-type'] ?? ''))
    throw new ContractBreach('content-type is not application/json.', received);
  if (headers['cache-control'] !== 'no-store') throw new ContractBreach('cache-control is not no-store.', received);
}

const statuses: Readonly<Record<ErrorCode, readonly number[]>> = {
  INVALID_REQUEST: [400, 409, 413, 415, 422],
  UNAUTHORIZED: [401],
  FORBIDDEN_ERROR: [403],
  NOT_FOUND: [404],
  TOO_MANY_REQUESTS: [429],
  INTERNAL_ERROR: [500, 503, 504],
};

/** The body of every error (section 7 of the specification). */
const ErrorBody = z.strictObject({
  error: z.enum(Object.keys(statuses) as [ErrorCode, ...ErrorCode[]]),
  message: z.string().min(1),
  details: z.array(z.strictObject({ field: z.string().min(1), issue: z.enum(issues), description: z.string().min(1) })),
});
type ErrorBody = z.infer<typeof ErrorBody>;

export type ErrorResponse = ErrorBody & { readonly status: number; readonly received: HttpResponse };

/** A response that breaks its contract. The message quotes the response. */
class ContractBreach extends ToolFailure {
  override readonly name = 'ContractBreach';
  constructor(message: string, { status, text }: HttpResponse) {
    super(
      `${message}\nThe response was ${status}: ${text.slice(0, 2000)}`,
      'Find its x-request-id in the log. docs/errors.md explains each status.',
    );
  }
}

/** Reads an error of any route. @throws ContractBreach */
export function readError(received: HttpResponse, reading: Reading = 'CLOSED'): ErrorResponse {
  const read = readBody(ErrorBody, bodyOf(received), reading);
  if (!read.success)
    throw new ContractBreach(`The body is not an error body: ${z.prettifyError(read.error)}`, received);
  const known: Readonly<Record<string, readonly number[]>> = statuses;
  if (known[read.data.error]?.includes(received.status) === false)
    throw new ContractBreach(`The status does not match the error ${read.data.error}.`, received);
  return { ...read.data, status: received.status, received };
}

function bodyOf(received: HttpResponse): unknown {
  const body = jsonOf(received.text);
  if (body === undefined) throw new ContractBreach('The body is not JSON.', received);
  return body;
}

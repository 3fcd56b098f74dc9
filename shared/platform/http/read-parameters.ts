import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod';
import type { Contract } from '#shared/contract/contract.ts';
import type { Detail } from '#shared/core/errors.ts';
import type { RequestPart } from './faults.ts';
import { detailsOf } from './faults.ts';
import { isReplaced } from './read-body.ts';

/** A part of a request by its schema; `value` is undefined if there are faults. */
export type ReadPart = { readonly value: unknown; readonly faults: readonly Detail[] };

export function readPart(schema: z.ZodType, input: unknown, part: RequestPart): ReadPart {
  const result = schema.safeParse(input, { reportInput: true });
  return result.success
    ? { value: result.data, faults: [] }
    : { value: undefined, faults: detailsOf(result.error, part) };
}

export function readPath({ params }: Contract, { pathParameters }: APIGatewayProxyEvent): ReadPart {
  const read = readPart(params, pathParameters ?? {}, 'path');
  return { ...read, faults: withLostBytes(read.faults, Object.entries(pathParameters ?? {})) };
}

/** A parameter that is given more than once has that one fault, whatever else is wrong with its values. */
export function readQuery(contract: Contract, event: APIGatewayProxyEvent): ReadPart {
  const given = Object.entries(event.multiValueQueryStringParameters ?? {}).map(
    ([name, values]) => [name, values ?? []] as const,
  );
  const first = Object.fromEntries(given.map(([name, [value = '']]) => [name, value]));
  const { value, faults } = readPart(contract.query, first, 'query');
  const unknown = new Set(faults.filter(({ issue }) => issue === 'UNKNOWN_FIELD').map(({ field }) => field));
  const repeated = given
    .filter(([, values]) => values.length > 1)
    .map(([name]) => fieldOf(name))
    .filter((field) => !unknown.has(field));
  const once = faults.filter(({ field }) => !repeated.includes(field));
  for (const field of repeated)
    once.push({ field, issue: 'UNKNOWN_FIELD', description: 'Is given more than once in the query: give it once.' });
  const texts = Object.entries(first).map(([name, text]) => [fieldOf(name), text] as const);
  return { value, faults: withLostBytes(once, texts) };
}

/** A parameter without a name (`?=1`) is told of as a fault of the whole query. */
function fieldOf(name: string): string {
  return name || 'query';
}

/** Percent-encoded bytes that are not UTF-8 reach a function as U+FFFD. */
function withLostBytes(
  faults: readonly Detail[],
  texts: readonly (readonly [string, string | undefined])[],
): readonly Detail[] {
  const lost = texts.filter(([name, text]) => isReplaced(text ?? '') && !faults.some(({ field }) => field === name));
  return [
    ...faults,
    ...lost.map(([field]): Detail => ({ field, issue: 'INVALID_FORMAT', description: 'Is not in UTF-8.' })),
  ];
}

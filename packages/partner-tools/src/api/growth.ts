import type * as z from 'zod';

/**
 * How a body is read. `OPEN`: as every client must, so that a later release of the service with further fields and
 * values does not stop it. `CLOSED`: as the tests of the service, which take nothing that the contract does not list.
 */
export type Reading = 'OPEN' | 'CLOSED';

/** Enumerations that do not grow (docs/versions.md). */
const closedFields: readonly PropertyKey[] = ['status', 'state'];

/**
 * Reads a body by a schema; undefined data for a body that breaks it. An open reading returns a body with further
 * fields or values as it was received.
 */
export function readBody<T>(schema: z.ZodType<T>, body: unknown, reading: Reading): z.ZodSafeParseResult<T> {
  const read = schema.safeParse(body);
  if (read.success || reading === 'CLOSED' || !read.error.issues.every((issue) => isGrowth(issue, body))) return read;
  return { success: true, data: body as T };
}

/** Whether an issue is a further field, or a further value of an open enumeration. */
function isGrowth(issue: z.core.$ZodIssue, body: unknown): boolean {
  switch (issue.code) {
    case 'unrecognized_keys':
      return true;
    case 'invalid_value':
      // A single value is a constant, and no enumeration.
      return issue.values.length > 1 && !closedFields.includes(nameOf(issue)) && typeof at(body, issue) === 'string';
    case 'invalid_union':
      return issue.errors.some((issues) => issues.every((inner) => isGrowth(inner, at(body, issue))));
    default:
      return false;
  }
}

/** The field of an issue, for a list the field of the list. */
function nameOf({ path }: z.core.$ZodIssue): PropertyKey {
  return path.findLast((part) => typeof part === 'string') ?? '';
}

function at(body: unknown, { path }: z.core.$ZodIssue): unknown {
  return path.reduce<unknown>((part, name) => (isObject(part) ? part[name] : undefined), body);
}

function isObject(value: unknown): value is Readonly<Record<PropertyKey, unknown>> {
  return typeof value === 'object' && value !== null;
}

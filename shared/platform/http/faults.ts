import type * as z from 'zod';
import type { Detail, Issue } from '#shared/core/errors.ts';
import { issues } from '#shared/core/errors.ts';

type ZodIssue = z.core.$ZodIssue;

export type RequestPart = 'path' | 'query' | 'body';

const unknown: Readonly<Record<RequestPart, string>> = {
  path: 'Is not a path parameter of this request.',
  query: 'Is not a query parameter of this request.',
  body: 'Is not a field of this request.',
};

/** Zod's faults as `details`: each with its dotted path, or the part for the whole, and an issue of the closed list. */
export function detailsOf(error: z.ZodError, part: RequestPart): readonly Detail[] {
  return error.issues.flatMap((issue): Detail[] => {
    const path = issue.path.map(String);
    const at = (more: readonly string[] = []): string => [...path, ...more].join('.') || part;
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({
        field: at([key]),
        issue: 'UNKNOWN_FIELD',
        description: unknown[part],
      }));
    return [{ field: at(), issue: issueOf(issue), description: descriptionOf(issue) }];
  });
}

function issueOf(issue: ZodIssue): Issue {
  switch (issue.code) {
    case 'invalid_type':
      // Zod says what it received only in the message: `undefined` there is an absent field.
      return issue.input === undefined ? 'REQUIRED' : 'INVALID_TYPE';
    case 'invalid_format':
      return 'INVALID_FORMAT';
    case 'invalid_value':
      return issue.input === undefined ? 'REQUIRED' : 'INVALID_VALUE';
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array' ? 'TOO_SHORT' : 'OUT_OF_RANGE';
    case 'too_big':
      return issue.origin === 'string' || issue.origin === 'array' ? 'TOO_LONG' : 'OUT_OF_RANGE';
    case 'custom': {
      const named: unknown = issue.params?.['issue'];
      return issues.find((known) => known === named) ?? 'INVALID_VALUE';
    }
    case 'not_multiple_of':
    case 'unrecognized_keys':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
      return 'INVALID_VALUE';
  }
}

function descriptionOf(issue: ZodIssue): string {
  if (issueOf(issue) === 'REQUIRED') return 'Is required.';
  switch (issue.code) {
    case 'invalid_type':
      return `Must be of type ${issue.expected}.`;
    case 'invalid_value':
      return `Must be one of: ${issue.values.map(String).join(', ')}.`;
    case 'too_small':
      return `Must be at least ${String(issue.minimum)}${unitOf(issue.origin)}.`;
    case 'too_big':
      return `Must be at most ${String(issue.maximum)}${unitOf(issue.origin)}.`;
    case 'invalid_format':
    case 'custom':
    case 'not_multiple_of':
    case 'unrecognized_keys':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
      return issue.message;
  }
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters';
  return origin === 'array' ? ' items' : '';
}

import type * as z from 'zod';
import type { Detail } from '#shared/core/errors.ts';
import { issues } from '#shared/core/errors.ts';

type ZodIssue = z.core.$ZodIssue;

export type RequestPart = 'path' | 'query' | 'body';

const unknown: Readonly<Record<RequestPart, string>> = {
  path: 'Is not a path parameter of this request.',
  query: 'Is not a query parameter of this request.',
  body: 'Is not a field of this request.',
};

/** Characters or items: what a length is counted in. */
const units: Readonly<Record<string, string | undefined>> = { string: ' characters', array: ' items' };
const required = { issue: 'REQUIRED', description: 'Is required.' } as const;

/**
 * Zod's issues as `details`: each with its dotted path, or with the part's name if it is about the whole part, and an
 * issue of the closed list.
 */
export function detailsOf(error: z.ZodError, part: RequestPart): readonly Detail[] {
  return error.issues.flatMap((issue): Detail[] => {
    const fieldOf = (...more: readonly string[]): string => [...issue.path.map(String), ...more].join('.') || part;
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({ field: fieldOf(key), issue: 'UNKNOWN_FIELD', description: unknown[part] }));
    return [{ field: fieldOf(), ...detailOf(issue) }];
  });
}

/** Zod reports an absent field as a wrong type or value: only the absent input tells them apart. */
function detailOf(issue: ZodIssue): Omit<Detail, 'field'> {
  const isAbsent = issue.input === undefined;
  switch (issue.code) {
    case 'invalid_type':
      return isAbsent ? required : { issue: 'INVALID_TYPE', description: `Must be of type ${issue.expected}.` };
    case 'invalid_value': {
      const description = `Must be one of: ${issue.values.map(String).join(', ')}.`;
      return isAbsent ? required : { issue: 'INVALID_VALUE', description };
    }
    case 'too_small': {
      const unit = units[issue.origin];
      const description = `Must be at least ${String(issue.minimum)}${unit ?? ''}.`;
      return { issue: unit === undefined ? 'OUT_OF_RANGE' : 'TOO_SHORT', description };
    }
    case 'too_big': {
      const unit = units[issue.origin];
      const description = `Must be at most ${String(issue.maximum)}${unit ?? ''}.`;
      return { issue: unit === undefined ? 'OUT_OF_RANGE' : 'TOO_LONG', description };
    }
    case 'invalid_format':
      return { issue: 'INVALID_FORMAT', description: issue.message };
    case 'custom': {
      const named = issues.find((known) => known === issue.params?.['issue']) ?? 'INVALID_VALUE';
      return { issue: named, description: issue.message };
    }
    default:
      return { issue: 'INVALID_VALUE', description: issue.message };
  }
}

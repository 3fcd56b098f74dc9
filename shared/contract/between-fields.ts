import * as z from 'zod';
import type { Issue } from '../core/errors.ts';
import { fault } from './text.ts';

/** The fields of an object, valid or not: a faulty field is as it was sent, or undefined. */
export type LooseFields = Readonly<Record<string, unknown>>;
export type AddFault = (path: string, issue: Issue, description: string) => void;

/**
 * A rule between fields of an object. It runs beside the faults of single fields too, so that a caller learns of all of
 * them at once; zod's own refinements would wait until every field is of its type. An empty path means the object.
 */
export function betweenFields<T>(rule: (fields: LooseFields, add: AddFault) => void): z.core.$ZodCheck<T> {
  return z.superRefine<T>(
    (value, context) => {
      // `when` lets only objects through.
      rule(value as LooseFields, (path, issue, description) => {
        context.addIssue({ ...fault(issue, description), path: path === '' ? [] : path.split('.') });
      });
    },
    { when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value) },
  );
}

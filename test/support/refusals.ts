import { RequestError } from '#shared/core/errors.ts';

const statuses = {
  badRequest: 400,
  state: 409,
  missing: 404,
  forbidden: 403,
  unauthorized: 401,
  throttled: 429,
} as const;

/** What a rule refuses, as `409 dueDate:OUTSIDE_WINDOW`; `none` when it refuses nothing. @throws what is no refusal. */
export function errorOf(rule: () => unknown): string {
  try {
    rule();
    return 'none';
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const details = error.details.map(({ field, issue }) => `${field}:${issue}`);
    return [String(statuses[error.kind]), ...details].join(' ');
  }
}

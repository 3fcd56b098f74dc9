import { describe, expect, it } from 'vitest';
import type { Detail } from '#shared/core/errors.ts';
import {
  badRequest,
  forbiddenByState,
  notFound,
  replayedError,
  RequestError,
  requireNoDetails,
  throttled,
  transitionNotAllowed,
} from '#shared/core/errors.ts';

const fault = (field: string): Detail => ({ field, issue: 'REQUIRED', description: `${field} is required.` });
const allOf = ({ name, kind, message, details, replayed }: RequestError) => ({
  name,
  kind,
  message,
  details,
  replayed,
});

describe('the error of a request', () => {
  it.each([
    [badRequest('amount', 'OUT_OF_RANGE', 'Too much.'), 'badRequest', 'amount', 'OUT_OF_RANGE'],
    [forbiddenByState('id', 'EXPIRED', 'Too late.'), 'state', 'id', 'EXPIRED'],
  ] as const)('has one detail with the field, the issue and the message', (error, kind, field, issue) => {
    const details = [{ field, issue, description: error.message }];
    expect(allOf(error)).toEqual({ name: 'RequestError', kind, message: error.message, details, replayed: false });
    expect(['Too much.', 'Too late.']).toContain(error.message);
    expect(error).toBeInstanceOf(Error);
  });

  it('has no details when no field caused it', () => {
    const common = { name: 'RequestError', details: [], replayed: false };
    expect(allOf(notFound('Pay-in'))).toEqual({ ...common, kind: 'missing', message: 'Pay-in not found.' });
    expect(allOf(throttled('Slower.', 7))).toEqual({ ...common, kind: 'throttled', message: 'Slower.' });
    expect(allOf(new RequestError('forbidden', 'No.'))).toEqual({ ...common, kind: 'forbidden', message: 'No.' });
  });

  it('has retryAfterSeconds when the request is throttled, and otherwise none', () => {
    expect(throttled('Slower.', 7).retryAfterSeconds).toBe(7);
    expect(notFound('Pay-in').retryAfterSeconds).toBeUndefined();
  });

  it('is marked as replayed, with all other properties unchanged, when it is a replay', () => {
    const { replayed: _, ...first } = allOf(notFound('Payout'));
    expect(allOf(replayedError(notFound('Payout')))).toEqual({ ...first, replayed: true });
  });

  it('names the status, the refused transition and the allowed ones when a transition is not allowed', () => {
    const buildError = (allowed: string[]) => transitionNotAllowed('PAID', 'CANCELED', allowed);
    const detail = { field: 'status', issue: 'TRANSITION_NOT_ALLOWED' };
    expect(buildError(['REFUNDED', 'DISPUTED'])).toMatchObject({
      kind: 'state',
      message: 'CANCELED is not allowed: the status is PAID; allowed from it: REFUNDED, DISPUTED.',
      details: [detail],
    });
    const final = 'CANCELED is not allowed: the status is PAID; no move is allowed from it.';
    expect(buildError([])).toMatchObject({
      kind: 'state',
      message: final,
      details: [{ ...detail, description: final }],
    });
  });
});

describe('the issues of a request', () => {
  const errorOf = (details: Detail[]): unknown => {
    try {
      requireNoDetails(details);
      return undefined;
    } catch (error) {
      return error;
    }
  };

  it('are thrown in one error with their number, and throw no error when there are none', () => {
    expect(errorOf([])).toBeUndefined();
    for (const [fields, message] of [
      [['a'], 'The request has 1 faulty field.'],
      [['a', 'b'], 'The request has 2 faulty fields.'],
    ] as const)
      expect(errorOf(fields.map(fault))).toMatchObject({ kind: 'badRequest', message, details: fields.map(fault) });
  });
});

import { describe, expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import type { ErrorResponse } from '#tools/docs/recorded-errors.ts';
import { tokenErrors } from '#shared/platform/http/refused-tokens.ts';
import type { Answer } from '../support/document.ts';
import { check, document, operations } from '../support/document.ts';
import { namesItsOwn } from '../support/own-fields.ts';

/** What the document promises for every operation of its kind, and no request brings about. */
const neverAnswered = [
  'updateSubscription 409',
  'getWebhookSettings 404',
  'replaceWebhookSettings 409',
  // An operator's hold.
  'releaseWebhookEndpoint 409',
  'resendWebhookDelivery 409',
  'resendWebhookDeliveries 409',
  // Of a company with a bank of its own.
  'setBankProfile 409',
  'resetClock 409',
];

const { responses } = document.components;
const resolved = (response: Answer): Answer =>
  response.$ref === undefined ? response : responses[response.$ref.split('/').at(-1) ?? '']!;

const shown = operations.flatMap(({ operation: { operationId, responses: all } }) =>
  Object.entries(all)
    .filter(([status]) => status >= '400')
    .map(([status, response]) => {
      const { schema, example, examples = {} } = resolved(response).content!['application/json'];
      const values = example === undefined ? Object.values(examples).map(({ value }) => value) : [example];
      return { name: `${operationId} ${status}`, operationId, status: Number(status), schema, examples, values };
    }),
);

test('every error of every operation is shown, but for those that never come', () => {
  const without = shown.filter(({ values }) => values.length === 0).map(({ name }) => name);
  expect(without, 'Record them: see UPDATE_ERRORS in CONTRIBUTING.md.').toEqual(neverAnswered);
});

describe.each(shown)('$name', ({ operationId, status, schema, examples, values }) => {
  const { contract } = routes.find((route) => route.contract.operationId === operationId)!;

  test('shows what its schema takes, about fields that the operation has', () => {
    const valid = check(schema);
    for (const value of values) expect(valid(value), JSON.stringify(valid.errors)).toBe(true);
    const answers = values.filter((value) => !Array.isArray(value)) as ErrorResponse[];
    if ([400, 404, 409].includes(status))
      expect(answers.filter((response) => !namesItsOwn(contract)({ status, ...response }))).toEqual([]);
    else
      expect(answers.flatMap(({ details }) => details).map(({ field }) => field)).toEqual(
        status === 422 ? ['idempotency-key'] : [],
      );
    // Each of several is named by its issue, or by the cause that its message names.
    const names = Object.values(examples).map(({ value }) => {
      const { details, message } = value as ErrorResponse;
      return details[0]?.issue ?? Object.entries(tokenErrors).find(([, text]) => text === message)?.[0];
    });
    expect(names).toEqual(Object.keys(examples));
    if (status === 401) expect(names).toEqual(Object.keys(tokenErrors));
  });
});

import { expect, test } from 'vitest';
import { endpointFunction } from '#functions/workers.ts';
import { badRequest, forbiddenByState, notFound, throttled } from '#shared/core/errors.ts';
import type { HttpResponse } from '#shared/platform/http/responses.ts';
import { HttpError, jsonResponse } from '#shared/platform/http/responses.ts';
import { respondToCaller as answerInProduction } from '#shared/platform/no-sandbox.ts';
import { faultsOn, maxSlowMs, heldAtMostSeconds, slowCallsAtOnce } from '#shared/sandbox/simulated-faults.ts';
import { eventOf } from '#test/support/edge.ts';
import { memoryStore } from '#test/support/memory-store.ts';

const companyId = '11111111-1111-4111-8111-111111111111';
const contract = { method: 'POST', idempotencyKey: 'required', companyId } as const;
const store = memoryStore();
const respondToCaller = faultsOn(() => store);
const done = jsonResponse(201, { id: 'payout' });

/** A request with the header, and how often its work was done. */
async function asked(
  header: string | readonly string[] | undefined,
  work: () => Promise<HttpResponse> = () => Promise.resolve(done),
  calledContract: Parameters<typeof respondToCaller>[1] = contract,
) {
  let runs = 0;
  const headers = { 'X-Simulate': header, 'idempotency-key': 'key' };
  const response = await respondToCaller(eventOf({ headers }), calledContract, () => {
    runs += 1;
    return work();
  }).catch((error: unknown) => ({ error }));
  return { answer: response, runs };
}

test('a request without the x-simulate header is carried out', async () => {
  expect(await asked(undefined)).toEqual({ answer: done, runs: 1 });
});

test('x-simulate: lost-reply carries out the request and answers 504, as if the outcome were unknown', async () => {
  const { answer: response, runs } = await asked('lost-reply');
  expect(runs).toBe(1);
  expect(response).toMatchObject({ statusCode: 504, headers: { 'retry-after': '1' } });
  expect(JSON.parse((response as HttpResponse).body)).toEqual({
    error: 'INTERNAL_ERROR',
    message: 'The service did not answer in time. The same request with the same idempotency key is safe to repeat.',
    details: [],
  });
});

test.each([
  ['409', forbiddenByState('status', 'EXPIRED', 'Too late.')],
  ['400', badRequest('status', 'INVALID_VALUE', 'Wrong.')],
  ['404', notFound('Order')],
  ['429', throttled('Too many.', 1)],
  ['413', new HttpError(413, 'Too large.')],
  ['415', new HttpError(415, 'No JSON.')],
])('x-simulate: lost-reply answers 504 to a request that is refused with %s, too', async (_status, refusal) => {
  const refuse = () => Promise.reject(refusal);
  expect(await asked('lost-reply', refuse)).toMatchObject({ runs: 1, answer: { statusCode: 504 } });
});

test('x-simulate: lost-reply hides no failure', async () => {
  const failure = new Error('broken');
  expect(await asked('lost-reply', () => Promise.reject(failure))).toEqual({ runs: 1, answer: { error: failure } });
});

test('a tool without an idempotency key answers 504 with an array of strings and the advice to read the resource', async () => {
  const { answer: response } = await asked('lost-reply', undefined, {
    ...contract,
    idempotencyKey: 'none',
    tool: true,
  });
  expect(JSON.parse((response as HttpResponse).body)).toEqual([expect.stringContaining('read the resource')]);
});

test('a tool with an idempotency key answers its 504 with the advice that a repetition is safe', async () => {
  const { answer: response } = await asked('lost-reply', undefined, {
    ...contract,
    idempotencyKey: 'optional',
    tool: true,
  });
  expect(JSON.parse((response as HttpResponse).body)).toEqual([expect.stringContaining('safe to repeat')]);
});

test('x-simulate: unavailable and too-many-requests answer without carrying out the request', async () => {
  expect(await asked('unavailable')).toMatchObject({
    runs: 0,
    answer: { statusCode: 503, headers: { 'retry-after': '1' } },
  });
  expect(await asked('too-many-requests')).toMatchObject({
    runs: 0,
    answer: { error: { kind: 'throttled', retryAfterSeconds: 1 } },
  });
});

test('x-simulate: slow=N carries out the request and answers after N milliseconds, refusals too', async () => {
  const started = performance.now();
  expect(await asked('slow=60')).toEqual({ answer: done, runs: 1 });
  expect(performance.now() - started).toBeGreaterThanOrEqual(59);
  const refusal = forbiddenByState('status', 'EXPIRED', 'Too late.');
  const again = performance.now();
  expect(await asked('slow=60', () => Promise.reject(refusal))).toEqual({ runs: 1, answer: { error: refusal } });
  expect(performance.now() - again).toBeGreaterThanOrEqual(59);
});

test.each([
  'unknown',
  '',
  'Lost-Reply',
  'slow',
  'slow=',
  'slow=0',
  'slow=-5',
  'slow=1.5',
  `slow=${maxSlowMs + 1}`,
  'slow=99999999',
  'toString',
  ['lost-reply', 'lost-reply'],
])('the x-simulate header %j is refused, and the request is not carried out', async (value) => {
  expect(await asked(value)).toMatchObject({
    runs: 0,
    answer: { error: { kind: 'badRequest', details: [{ field: 'x-simulate', issue: 'INVALID_VALUE' }] } },
  });
});

test('the eleventh concurrent slow request of a company is refused before it is carried out, another’s is not', async () => {
  const all = Array.from({ length: slowCallsAtOnce + 5 }, () => asked('slow=400'));
  const first = await Promise.race(all);
  expect(first).toMatchObject({ runs: 0, answer: { error: { kind: 'throttled', retryAfterSeconds: 3 } } });
  expect(await asked('slow=1', undefined, { ...contract, companyId: 'another' })).toEqual({ answer: done, runs: 1 });
  const responses = await Promise.all(all);
  expect(responses.filter(({ runs }) => runs === 1).map(({ answer: response }) => response)).toEqual(
    Array.from({ length: slowCallsAtOnce }, () => done),
  );
  expect(await asked('slow=1')).toEqual({ answer: done, runs: 1 });
});

test('the longest x-simulate delay leaves the function a second, and its place is held longer than the function runs', () => {
  expect(heldAtMostSeconds).toBeGreaterThan(endpointFunction.timeoutSeconds);
  expect(maxSlowMs).toBeLessThanOrEqual((endpointFunction.timeoutSeconds - 1) * 1000);
});

test('an endpoint of production ignores the x-simulate header', async () => {
  const event = eventOf({ headers: { 'x-simulate': 'unavailable' } });
  expect(await answerInProduction(event, contract, () => Promise.resolve(done))).toBe(done);
});

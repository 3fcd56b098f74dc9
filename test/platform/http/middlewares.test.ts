import type { Context } from 'aws-lambda';
import { beforeEach, describe, expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import type { Contract } from '#shared/contract/contract.ts';
import { throttled } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { caller } from '#shared/platform/http/middlewares/caller.ts';
import { everyEndpoint } from '#shared/platform/http/middlewares/every-endpoint.ts';
import type { EndpointMiddleware } from '#shared/platform/http/middlewares/middleware.ts';
import type { Edge } from '#test/support/edge.ts';
import { caller as authorized, catchLog, eventOf } from '#test/support/edge.ts';
import { refused } from '#test/support/refusals.ts';
import { good, id, probe } from './probe-contract.ts';

let logged: ReturnType<typeof catchLog>;
beforeEach(() => {
  logged = catchLog();
});

const added =
  (middleware: EndpointMiddleware) =>
  (contract: Contract): readonly EndpointMiddleware[] => [...everyEndpoint(contract), middleware];

/** Calls the probe inside these middlewares; `runs` is how often its operation ran. */
async function ask(middlewares: typeof everyEndpoint, edge: Edge = {}, onRun: () => void = () => undefined) {
  let runs = 0;
  const operation = () => {
    runs += 1;
    onRun();
    return Promise.resolve({ status: 200 as const, body: { ok: true } });
  };
  const handle = endpoint(probe(), operation, () => ({}), middlewares);
  const response = await handle(eventOf({ params: { id }, body: good, ...edge }), {} as Context);
  return { ...response, runs };
}

describe.each(routes.map(({ contract }) => ({ name: contract.operationId, contract })))(
  'a middleware in the list of every endpoint, for $name,',
  ({ contract }: { contract: Contract }) => {
    const notReached = () => Promise.reject(new Error('The operation ran.'));
    const noneBuilt = () => {
      throw new Error('The dependencies were built.');
    };

    test('runs, and refuses a request before anything of the endpoint runs', async () => {
      const refusing = added({
        before: () => {
          throw throttled('Added.', 7);
        },
      });
      const handle = endpoint(contract, notReached, noneBuilt, refusing);
      const response = await handle(eventOf({ body: '{' }), {} as Context);
      expect(refused(response, 429, []).message).toBe('Added.');
      expect(response.headers).toMatchObject({ 'retry-after': '7', 'x-request-id': expect.any(String) });
      expect(logged()).toMatchObject([{ operationId: contract.operationId, companyId: 'company-a', status: 429 }]);
    });
  },
);

describe('the middlewares of an endpoint', () => {
  test('run in their order: request id, caller, an added one, parsing, operation, and back to the log and the id', async () => {
    const seen: unknown[] = [];
    const watching = added({
      before: ({ context }) => void seen.push(['before', context.requestId, context.caller, 'parsed' in context]),
      after: ({ response, context }) =>
        void seen.push(['after', response?.headers['x-request-id'], 'parsed' in context, logged().length]),
    });
    const response = await ask(watching, { gatewayId: id }, () => seen.push('operation'));
    expect(seen).toEqual([
      ['before', id, { companyId: 'company-a', clientId: 'client-a' }, false],
      'operation',
      ['after', undefined, true, 0],
    ]);
    expect(response.headers['x-request-id']).toBe(id);
    expect(logged()).toHaveLength(1);
  });

  test('show an added one a request that has a caller, valid or not', async () => {
    const bodies: unknown[] = [];
    const watching = added({ before: ({ event }) => void bodies.push(event.body) });
    expect((await ask(watching, { authorizer: null })).statusCode).toBe(401);
    expect((await ask(watching, { authorizer: { ...authorized, expiresAt: '1' } })).statusCode).toBe(401);
    expect((await ask(watching, { body: '{' })).statusCode).toBe(400);
    expect((await ask(watching)).statusCode).toBe(200);
    expect(bodies).toEqual(['{', good]);
  });

  test('log the response that an added one makes of the response', async () => {
    const changing = added({
      after: (request) => {
        if (request.response) request.response = { ...request.response, statusCode: 202 };
      },
    });
    expect((await ask(changing)).statusCode).toBe(202);
    expect(logged()).toMatchObject([{ status: 202, statusClass: '2xx' }]);
  });

  test.each(['before', 'after'] as const)('answer 500 with one log line when an added one fails: %s', async (hook) => {
    const failing = added({ [hook]: () => Promise.reject(new Error('secret-name')) });
    const response = await ask(failing, { gatewayId: id });
    refused(response, 500, []);
    expect(response.body).not.toContain('secret-name');
    expect(response.headers['x-request-id']).toBe(id);
    expect(response.runs).toBe(hook === 'before' ? 0 : 1);
    expect(logged()).toMatchObject([{ level: 'error', status: 500, errorMessage: 'secret-name', requestId: id }]);
  });

  test('show an added one an error before its response, and one in front of errorResponse the response', async () => {
    const seen: unknown[] = [];
    const watching: EndpointMiddleware = {
      onError: ({ response, error }) => void seen.push([error?.message, response?.statusCode]),
    };
    const edge = { authorizer: null };
    await ask(added(watching), edge);
    await ask((contract) => [watching, ...everyEndpoint(contract)], edge);
    expect(seen.map((one) => (one as unknown[])[1])).toEqual([undefined, 401]);
  });

  test('the middlewares carry no request out without the middleware of the caller', async () => {
    const withoutCaller = (contract: Contract) => everyEndpoint(contract).filter((one) => one !== caller);
    const response = await ask(withoutCaller);
    refused(response, 500, []);
    expect(response.runs).toBe(0);
    expect(logged()).toMatchObject([{ errorMessage: 'The middleware caller did not run.' }]);
  });

  test('watch the time of the function once', async () => {
    let reads = 0;
    const getRemainingTimeInMillis = () => {
      reads += 1;
      return 10_000;
    };
    const handle = endpoint(
      probe(),
      () => Promise.resolve({ status: 200 as const, body: { ok: true } }),
      () => ({}),
    );
    await handle(eventOf({ params: { id }, body: good }), { getRemainingTimeInMillis } as Partial<Context> as Context);
    expect(reads).toBe(1);
  });

  test('keep the parts of concurrent requests apart', async () => {
    const both = Promise.withResolvers<undefined>();
    let begun = 0;
    const waiting = added({
      before: () => {
        begun += 1;
        if (begun === 2) both.resolve(undefined);
        return both.promise;
      },
    });
    const companies = ['company-a', 'company-b'];
    const seen: string[] = [];
    const handle = endpoint(
      probe(),
      ({ caller: { companyId } }) => {
        seen.push(companyId);
        return Promise.resolve({ status: 200 as const, body: { ok: true } });
      },
      () => ({}),
      waiting,
    );
    const events = companies.map((companyId) =>
      eventOf({ params: { id }, body: good, authorizer: { ...authorized, companyId } }),
    );
    await Promise.all(events.map((event) => handle(event, {} as Context)));
    expect(seen).toEqual(companies);
    expect(logged().map(({ companyId }) => companyId)).toEqual(companies);
  });
});

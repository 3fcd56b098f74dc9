import { dependenciesOf } from '#sandbox';
import type { Contract, RequestOf } from '#shared/contract/contract.ts';
import type { Clock } from '#shared/core/brasilia-time.ts';
import type { Detail } from '#shared/core/errors.ts';
import { readRequest } from '../read-request.ts';
import { addedBy } from './middleware.ts';
import type { EndpointContext, EndpointMiddleware } from './middleware.ts';

/** Dependencies of an endpoint whose contract has `contextRules`: a clock and configuration. */
type RuleDependencies = ({ readonly now: Clock } | { readonly realNow: Clock }) & {
  readonly settings: { readonly allowLocalTargets: boolean; readonly keyRules: { readonly phonesAbroad: boolean } };
};
export type DependenciesOf<C extends Contract> = C extends {
  readonly contextRules: NonNullable<Contract['contextRules']>;
}
  ? RuleDependencies
  : unknown;

export type ParsedContext<C extends Contract, D> = EndpointContext & {
  /** Arguments of the operation. */
  parsed?: { readonly request: RequestOf<C>; readonly dependencies: D };
};

/**
 * Parses a request by its contract, rules of clock and configuration included, for which it builds the dependencies at
 * the first request. In the sandbox an endpoint that uses time reads the clock of the company at each request.
 */
export function parseRequest<C extends Contract, D extends DependenciesOf<C>>(
  contract: C,
  build: () => D,
): EndpointMiddleware<ParsedContext<C, D>> {
  let built: D | undefined;
  return {
    before: async ({ event, context }) => {
      const caller = addedBy('caller', context.caller);
      const requestId = addedBy('requestId', context.requestId);
      const dependencies = await dependenciesOf((built ??= build()), caller.companyId);
      const parts = readRequest(contract, event, (body) => contextDetails(contract, body, dependencies));
      // TypeScript cannot resolve `RequestOf<C>`: `C` is a type parameter here.
      const request = { ...parts, caller, requestId } as unknown as RequestOf<C>;
      context.parsed = { request, dependencies };
    },
  };
}

/** Returns the issues that the `contextRules` of the contract find in a body. */
function contextDetails({ contextRules }: Contract, body: unknown, dependencies: unknown): readonly Detail[] {
  if (contextRules === undefined || typeof body !== 'object' || body === null) return [];
  const given = dependencies as RuleDependencies;
  const now = 'now' in given ? given.now : given.realNow;
  const found: Detail[] = [];
  const { allowLocalTargets, keyRules } = given.settings;
  const context = { now: now(), allowLocalTargets, phonesAbroad: keyRules.phonesAbroad };
  contextRules(body as Readonly<Record<string, unknown>>, context, (field, issue, description) => {
    found.push({ field, issue, description });
  });
  return found;
}

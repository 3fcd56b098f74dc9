import type * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import type { Detail } from '../core/errors.ts';
import type { AddFault, LooseFields } from './between-fields.ts';

export type ErrorCode =
  'INVALID_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN_ERROR' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_ERROR';
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
/**
 * `uuid` is required and must be a UUID (4.3 of the specification); the others are 1 to 64 printable ASCII characters.
 */
export type IdempotencyRule = 'none' | 'optional' | 'required' | 'uuid';

/** What a rule may use beside the request: clock and configuration, neither network nor table. */
export type Present = {
  readonly now: Instant;
  readonly allowLocalTargets: boolean;
  /** Phones of other countries can be keys, too. */
  readonly phonesAbroad: boolean;
};

/**
 * What one endpoint promises. Everything else is derived from it: the API Gateway method, request validation, the check
 * of answers in tests and the OpenAPI document. Schemas of the request fill in no defaults: the fingerprint of a
 * request covers what its sender wrote.
 */
export type Contract = {
  readonly operationId: string;
  readonly method: Method;
  /** As API Gateway writes it, parameters in braces. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly idempotencyKey: IdempotencyRule;
  /**
   * What keeps a request without an idempotency key from being done twice: the `externalId` that it takes, or the state
   * that it asks for, which is then there already. Absent where it would be done once more.
   */
  readonly onceBy?: 'EXTERNAL_ID' | 'STATE';
  readonly params: z.ZodType;
  readonly query: z.ZodType;
  readonly body: z.ZodType;
  /**
   * Rules of the body that depend on clock and configuration: a date in the past, a host that may not be called here.
   * They run with all the others, on the body as it was sent; a fault on a field that has another one is dropped.
   */
  readonly presentRules?: (body: LooseFields, present: Present, add: AddFault) => void;
  /** Success answers by status. */
  readonly answers: Readonly<Record<number, z.ZodType>>;
  readonly errors: readonly ErrorCode[];
  /** The simulation tools answer 5xx with an array of strings (section 4.9 to 4.11). */
  readonly tool?: boolean;
};

/** Keeps the literal types of a contract, so that operation and client know params, body and answers. */
export function contract<const C extends Contract>(definition: C): C {
  return definition;
}

export type AnswerOf<C extends Contract> = {
  [S in keyof C['answers'] & number]: {
    readonly status: S;
    readonly body: z.output<C['answers'][S]>;
    /** The first answer again, for a key that was used before. */
    readonly replayed?: boolean;
  };
}[keyof C['answers'] & number];

export type Caller = { readonly companyId: string; readonly clientId: string };

export type RequestOf<C extends Contract> = {
  readonly caller: Caller;
  readonly requestId: string;
  readonly params: z.output<C['params']>;
  readonly query: z.output<C['query']>;
  readonly body: z.output<C['body']>;
  readonly idempotencyKey: C['idempotencyKey'] extends 'required' | 'uuid'
    ? string
    : C['idempotencyKey'] extends 'none'
      ? undefined
      : string | undefined;
  /**
   * Faults by `presentRules` of a request with an idempotency key that is right otherwise. They do not matter to a
   * replay: the operation refuses them once it knows that the key is new.
   */
  readonly presentFaults: readonly Detail[];
  /** SHA-256 of what the caller sent, normalised: equal requests have equal fingerprints. */
  readonly fingerprint: string;
};

/** An operation: what an endpoint does, without HTTP and without AWS. Refuses by throwing a `Refusal`. */
export type Operation<C extends Contract, D> = (request: RequestOf<C>, deps: D) => Promise<AnswerOf<C>>;

import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import type { Detail, Issue } from '../core/errors.ts';
import { fault } from './text.ts';

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

type Fields = Readonly<Record<string, z.ZodType>>;
/** A part of a request: its fields by name, or a schema of the whole with rules between fields. */
type Part = z.ZodType | Fields;
type WithDefault = 'params' | 'query' | 'body' | 'idempotencyKey' | 'errors';

/** A contract as it is written: what is left out is empty. */
type Definition = Omit<Contract, WithDefault> & {
  readonly params?: Part;
  readonly query?: Part;
  readonly body?: Part;
  /** Default: `none`. */
  readonly idempotencyKey?: IdempotencyRule;
  /** Codes beside those of every endpoint. */
  readonly errors?: readonly ErrorCode[];
};

type SchemaOf<P> = P extends z.ZodType ? P : P extends Fields ? z.ZodObject<P, z.core.$strict> : typeof nothing;

/** Keeps the literal types of a definition, so that operation and client know params, body and answers. */
type ContractOf<D extends Definition> = Omit<D, WithDefault> & {
  readonly params: SchemaOf<D extends { readonly params: infer P } ? P : undefined>;
  readonly query: SchemaOf<D extends { readonly query: infer P } ? P : undefined>;
  readonly body: SchemaOf<D extends { readonly body: infer P } ? P : undefined>;
  readonly idempotencyKey: D extends { readonly idempotencyKey: infer R extends IdempotencyRule } ? R : 'none';
  readonly errors: readonly ErrorCode[];
};

const nothing = z.strictObject({});
const errorsOfEveryEndpoint = ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'INTERNAL_ERROR'] as const;

/** The contract of a definition, with what it left out. */
export function contract<const D extends Definition>(definition: D): ContractOf<D> {
  const { params, query, body, idempotencyKey = 'none', errors = [] }: Definition = definition;
  const whole: Contract = {
    ...definition,
    params: schemaOf(params),
    query: schemaOf(query),
    body: schemaOf(body),
    idempotencyKey,
    errors: [...errorsOfEveryEndpoint, ...errors],
  };
  // The compiler does not follow a type through its defaults.
  return whole as unknown as ContractOf<D>;
}

function schemaOf(part: Part | undefined): z.ZodType {
  if (part === undefined) return nothing;
  return part instanceof z.ZodType ? part : z.strictObject(part);
}

/**
 * One request of an operation with the answer to it, for the document: `example` beside the contract. It is a function,
 * so that bundles leave it out. Tests parse both by the contract and send the request to the running service.
 */
export type ExampleOf<C extends Contract> = {
  readonly request: {
    readonly params?: z.input<C['params']>;
    readonly query?: z.input<C['query']>;
    readonly body?: z.input<C['body']>;
  };
  readonly answer: {
    [S in keyof C['answers'] & number]: { readonly status: S; readonly body: z.output<C['answers'][S]> };
  }[keyof C['answers'] & number];
};

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

import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import type { Detail, Issue } from '../core/errors.ts';
import { customIssue } from './text.ts';

export type ErrorCode =
  'INVALID_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN_ERROR' | 'NOT_FOUND' | 'TOO_MANY_REQUESTS' | 'INTERNAL_ERROR';
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** `uuid`: a required UUID (4.3 of the specification); otherwise printable ASCII. */
export type IdempotencyRule = 'none' | 'optional' | 'required' | 'uuid';

/**
 * The maximum length of an idempotency key. A payment of a batch has the batch's key, followed by its sequence number.
 */
export const longestKey = { optional: 255, required: 255, uuid: 64 } as const satisfies Readonly<
  Record<Exclude<IdempotencyRule, 'none'>, number>
>;

/** Clock and configuration for `contextRules`. */
export type RuleContext = {
  readonly now: Instant;
  readonly allowLocalTargets: boolean;
  readonly phonesAbroad: boolean;
};

/**
 * The contract of one endpoint. API Gateway's method, the request validation, the tests' check of responses and the
 * OpenAPI document derive from it. Request schemas have no defaults: the fingerprint covers the request as sent.
 */
export type Contract = {
  readonly operationId: string;
  readonly method: Method;
  /** Path as in API Gateway, parameters in braces. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly idempotencyKey: IdempotencyRule;
  /**
   * Reason that a repetition without an idempotency key is safe: its `externalId`, or the state that it requests.
   * Absent where it would be executed again.
   */
  readonly onceBy?: 'EXTERNAL_ID' | 'STATE';
  readonly params: z.ZodType;
  readonly query: z.ZodType;
  readonly body: z.ZodType;
  /**
   * Rules of the body that need clock and configuration, such as a past date or a forbidden host. They run on the body
   * as sent. A field has at most one issue.
   */
  readonly contextRules?: (body: LooseFields, context: RuleContext, add: AddDetail) => void;
  /** Success responses by status. */
  readonly responses: Readonly<Record<number, z.ZodType>>;
  /** Media types of the 200 beside JSON, by the value of the query parameter `format` that asks for them. */
  readonly files?: Readonly<Record<string, string>>;
  readonly errors: readonly ErrorCode[];
  /** A simulation tool: its 5xx bodies are arrays of strings (4.9 to 4.11). */
  readonly tool?: boolean;
};

type Fields = Readonly<Record<string, z.ZodType>>;
/** Fields by name, or a schema with rules between fields. */
type Part = z.ZodType | Fields;
type WithDefault = 'params' | 'query' | 'body' | 'idempotencyKey' | 'errors';

/** A contract as written. Absent parts get their defaults. */
type Definition = Omit<Contract, WithDefault> & {
  readonly params?: Part;
  readonly query?: Part;
  readonly body?: Part;
  /** Default: `none`. */
  readonly idempotencyKey?: IdempotencyRule;
  /** Error codes in addition to those of every endpoint. */
  readonly errors?: readonly ErrorCode[];
};

type SchemaOf<P> = P extends z.ZodType ? P : P extends Fields ? z.ZodObject<P, z.core.$strict> : typeof nothing;

/** Keeps the literal types, so that operation and client know params, body and responses. */
type ContractOf<D extends Definition> = Omit<D, WithDefault> & {
  readonly params: SchemaOf<D extends { readonly params: infer P } ? P : undefined>;
  readonly query: SchemaOf<D extends { readonly query: infer P } ? P : undefined>;
  readonly body: SchemaOf<D extends { readonly body: infer P } ? P : undefined>;
  readonly idempotencyKey: D extends { readonly idempotencyKey: infer R extends IdempotencyRule } ? R : 'none';
  readonly errors: readonly ErrorCode[];
};

const nothing = z.strictObject({});
const errorsOfEveryEndpoint = ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'INTERNAL_ERROR'] as const;

/** A definition with its defaults. */
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
  // TypeScript does not follow a type through its defaults.
  return whole as unknown as ContractOf<D>;
}

function schemaOf(part: Part | undefined): z.ZodType {
  if (part === undefined) return nothing;
  return part instanceof z.ZodType ? part : z.strictObject(part);
}

/**
 * A request and its response for the document: `example` beside the contract. It is a function, so that bundles drop
 * it. Tests parse both and send the request to the running service.
 */
export type ExampleOf<C extends Contract> = {
  readonly request: {
    readonly params?: z.input<C['params']>;
    readonly query?: z.input<C['query']>;
    readonly body?: z.input<C['body']>;
  };
  readonly response: {
    [S in keyof C['responses'] & number]: { readonly status: S; readonly body: z.output<C['responses'][S]> };
  }[keyof C['responses'] & number];
};

export type ResponseOf<C extends Contract> = {
  [S in keyof C['responses'] & number]: {
    readonly status: S;
    readonly body: z.output<C['responses'][S]>;
    /** A replay of the first response. */
    readonly replayed?: boolean;
  };
}[keyof C['responses'] & number];

/** A file in place of JSON. `next`: the query of the next page, a relative reference. */
export type FileResponse = {
  readonly status: 200;
  readonly file: {
    readonly mediaType: string;
    readonly name: string;
    readonly text: string;
    readonly next?: string;
  };
};

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
   * Issues from `contextRules`, in a request with an idempotency key. A replay ignores them. The operation rejects a
   * new key with them.
   */
  readonly contextDetails: readonly Detail[];
  /** SHA-256 of the normalised request. */
  readonly fingerprint: string;
};

/** The logic of an endpoint, without HTTP and AWS. @throws RequestError */
export type Operation<C extends Contract, D> = (
  request: RequestOf<C>,
  deps: D,
) => Promise<ResponseOf<C> | (C extends { readonly files: object } ? FileResponse : never)>;

/** Fields of an object, valid or not. */
export type LooseFields = Readonly<Record<string, unknown>>;
export type AddDetail = (path: string, issue: Issue, description: string) => void;

/**
 * Returns a schema's `openapi`: an object with these required fields and any others. Linters require every required
 * field in `properties`, and an explicit `additionalProperties`.
 */
export function having(...names: readonly string[]) {
  const properties = Object.fromEntries(names.map((name) => [name, {}]));
  return { properties, required: names, additionalProperties: true };
}

/**
 * Creates a rule between fields. Unlike zod's own refinements it also runs when single fields have issues, so that one
 * response has all issues. An empty path stands for the object.
 */
export function betweenFields<T>(rule: (fields: LooseFields, add: AddDetail) => void): z.core.$ZodCheck<T> {
  return z.superRefine<T>(
    (value, context) => {
      rule(value as LooseFields, (path, issue, description) => {
        context.addIssue({ ...customIssue(issue, description), path: path === '' ? [] : path.split('.') });
      });
    },
    { when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value) },
  );
}

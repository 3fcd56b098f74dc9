// What the console's server tells its page, beside the answers of the service.
import type { OperationId } from './operations.ts';

/** How an operation is called, as the OpenAPI document says it. */
export type Route = {
  readonly method: string;
  /** Parameters in braces. */
  readonly path: string;
  readonly takesKey: boolean;
};

/** `GET /console/api/environment`. */
export type Environment = {
  readonly baseUrl: string;
  /** A receiver that takes every notification: one click registers it. Absent where nobody knows of one. */
  readonly receiver?: string;
  readonly companies: readonly { readonly companyId: string; readonly name: string }[];
  readonly routes: Readonly<Record<OperationId, Route>>;
};

/** `GET /console/api/companies/{companyId}/signatures/{deliveryId}`. */
export type Signed = {
  /** The exact text that is signed and sent. */
  readonly body: string;
  readonly bytes: number;
  /** Headers of every attempt, computed with the secret of the sandbox file. */
  readonly attempts: readonly { readonly number: number; readonly headers: Readonly<Record<string, string>> }[];
};

/** A request as it was seen, without anything about a person. */
export type SeenRequest = {
  /** When it arrived, epoch milliseconds. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string | undefined;
  /** Code of the error body. */
  readonly error?: string;
  readonly details: readonly { readonly field: string; readonly issue: string; readonly description: string }[];
  /** What was sent, what says nothing about a person as it was. */
  readonly body?: unknown;
};

/** `GET /console/api/requests`, newest first. */
export type SeenRequests = {
  /** Whose requests these are. */
  readonly of: 'environment' | 'console';
  readonly requests: readonly SeenRequest[];
};

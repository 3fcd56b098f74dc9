import type * as z from 'zod';
import type { Contract } from './contract.ts';

/**
 * One request of an operation with the answer to it, for the document: `example.ts` beside `contract.ts`. No function
 * imports it, so that it is in no bundle. Tests parse both by the contract and send the request to the running service.
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

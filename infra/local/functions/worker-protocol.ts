/**
 * The messages between the runner and the thread of a function. Events and answers travel as JSON texts, as on
 * Lambda.
 */

export type WorkerData = {
  /** Logical id of the function. */
  readonly id: string;
  readonly module: string;
  readonly exportName: string;
  /** File to which the function's output is appended. */
  readonly log: string;
};

export type InvocationMessage = {
  readonly id: string;
  readonly event: string;
  /** Epoch milliseconds at which the invocation times out. */
  readonly deadline: number;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMb: number;
};

export type FunctionFault = {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace: readonly string[];
};

export type WorkerMessage =
  | { readonly kind: 'ready' }
  /** A line of output that a person should see at once; it stands in the log already. */
  | { readonly kind: 'shown'; readonly line: string }
  | { readonly kind: 'unusable'; readonly fault: FunctionFault }
  | { readonly kind: 'answer'; readonly id: string; readonly payload: string }
  | { readonly kind: 'fault'; readonly id: string; readonly fault: FunctionFault };

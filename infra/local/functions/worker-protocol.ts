/**
 * The messages between the runner and the thread of a function. Events and answers travel as JSON texts, as on
 * Lambda.
 */

export type WorkerData = {
  readonly module: string;
  readonly exportName: string;
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
  | { readonly kind: 'unusable'; readonly fault: FunctionFault }
  | { readonly kind: 'answer'; readonly id: string; readonly payload: string }
  | { readonly kind: 'fault'; readonly id: string; readonly fault: FunctionFault };

/** Limits of a call of AWS for the `requestHandler` of the SDK's clients, milliseconds. */
type CallLimit = {
  readonly connectionTimeout: number;
  readonly requestTimeout: number;
  readonly throwOnRequestTimeout: true;
};

/** Ends a call after so many milliseconds with a `TimeoutError`. By default the SDK logs a warning and waits on. */
export function endAfterMs(requestTimeout: number): CallLimit {
  return { connectionTimeout: 1000, requestTimeout, throwOnRequestTimeout: true };
}

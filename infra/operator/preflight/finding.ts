/** Result of a check: no problem, or the problem and its remedy. */
export type Verdict = { readonly ok: string } | { readonly error: string; readonly cure: string };

/** A line of the output. */
export type Finding = {
  readonly state: 'ok' | 'error';
  readonly check: string;
  readonly says: string;
  readonly cure: string | null;
};

/** A check, and the IAM action that it needs. */
export type Check = {
  readonly name: string;
  readonly action: string;
  readonly judge: () => Promise<Verdict>;
};

/** Error names by which AWS services refuse a caller without permission. */
const denials = new Set([
  'AccessDenied',
  'AccessDeniedException',
  'AuthorizationError',
  'AuthorizationErrorException',
  'NotAuthorizedException',
  'UnauthorizedOperation',
]);

/** Runs a check. A missing permission becomes a finding with the IAM action; any other error one with its message. */
export async function lookAt({ name, action, judge }: Check): Promise<Finding> {
  const verdict = await judge().catch((error: unknown): Verdict => {
    const { name: errorName, message } = error instanceof Error ? error : new Error(String(error));
    return denials.has(errorName)
      ? { error: 'no permission', cure: `Allow ${action} for these credentials, then run preflight again.` }
      : {
          error: `${errorName}: ${message}`,
          cure: 'Run preflight again. If the error remains, check the service in the AWS console.',
        };
  });
  return 'ok' in verdict
    ? { state: 'ok', check: name, says: verdict.ok, cure: null }
    : { state: 'error', check: name, says: verdict.error, cure: verdict.cure };
}

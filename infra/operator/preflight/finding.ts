/** What a look at the account says: all is well, or what is not and what to do about it. */
export type Verdict = { readonly ok: string } | { readonly error: string; readonly cure: string };

/** A line of the answer. */
export type Finding = {
  readonly state: 'ok' | 'error';
  readonly check: string;
  readonly says: string;
  readonly cure: string | null;
};

/** Something to look at, by an action of IAM. */
export type Check = {
  readonly name: string;
  readonly action: string;
  readonly judge: () => Promise<Verdict>;
};

/** Names by which services of AWS refuse who may not ask. */
const denials = new Set([
  'AccessDenied',
  'AccessDeniedException',
  'AuthorizationError',
  'AuthorizationErrorException',
  'NotAuthorizedException',
  'UnauthorizedOperation',
]);

/** Looks. Who may not ask is told which action is missing; a service that fails is a finding, not the end. */
export async function lookAt({ name, action, judge }: Check): Promise<Finding> {
  const verdict = await judge().catch((error: unknown): Verdict => {
    const { name: what, message } = error instanceof Error ? error : new Error(String(error));
    return denials.has(what)
      ? { error: 'no permission', cure: `Allow ${action} to these credentials, and repeat this.` }
      : { error: `${what}: ${message}`, cure: 'Repeat this; if it stays, look at the service in the console of AWS.' };
  });
  return 'ok' in verdict
    ? { state: 'ok', check: name, says: verdict.ok, cure: null }
    : { state: 'error', check: name, says: verdict.error, cure: verdict.cure };
}

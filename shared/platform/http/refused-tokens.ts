/**
 * Descriptions of a 401, by cause. They are fixed: a response repeats no part of a token, and does not show a forger
 * which keys are known. API Gateway puts them into JSON unchanged, so they have no quotes, backslashes and control
 * characters.
 */
export const tokenErrors = {
  MISSING: 'The token is missing: send it in the header authorization, after the word Bearer.',
  MALFORMED:
    'The token is malformed: the header authorization must be the word Bearer, a blank, and one JSON Web Token that has an end (exp).',
  EXPIRED: 'The token has expired: get a new one.',
  EARLY: 'The token is not valid yet: its beginning (nbf) is to come. The clock of its issuer may be ahead.',
  FOREIGN: 'The token is foreign: it is not from the issuer of this environment, or was changed on its way.',
} as const;
export type TokenError = keyof typeof tokenErrors;

/** Description of a 403 for a token of another service, or of a client without a company. */
export const noAccess = 'The token does not give access to this service.';

/** The authorizer's data of a caller for endpoints: strings, as API Gateway passes them. */
export type CallerContext = {
  /** Expiry of the token, epoch seconds. */
  readonly expiresAt: string;
  readonly companyId?: string;
  readonly clientId?: string;
  /** Why the token gives no access: such a caller has no company. */
  readonly refusal?: string;
};

/** The authorizer's data of an invalid token for API Gateway, whose response shows `message`. */
export type TokenErrorContext = { readonly refusal: TokenError; readonly message: string };

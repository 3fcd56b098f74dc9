/**
 * What a 401 says of its cause. Fixed texts: a response repeats nothing of a token, and tells no forger which keys are
 * known. API Gateway puts them into JSON as they are, so they have no quotes, backslashes and control characters.
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

/** What a 403 says to the bearer of a token for another service, or of a client without a company. */
export const noAccess = 'The token does not give access to this service.';

/** What the authorizer tells endpoints of a caller: texts, as API Gateway keeps them. */
export type CallerContext = {
  /** End of the token, epoch seconds. */
  readonly expiresAt: string;
  readonly companyId?: string;
  readonly clientId?: string;
  /** Why the token gives no access: such a caller has no company. */
  readonly refusal?: string;
};

/** What the authorizer tells API Gateway of a token with a fault: its response shows `message`. */
export type TokenErrorContext = { readonly refusal: TokenError; readonly message: string };

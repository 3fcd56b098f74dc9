import type { Issue } from '#shared/core/errors.ts';
import type { TokenError } from '#shared/platform/http/refused-tokens.ts';
import { noAccess } from '#shared/platform/http/refused-tokens.ts';
import { repetitionOfAny } from '#shared/platform/http/responses.ts';

/** Why an error comes, and what helps. */
type Meaning = { readonly cause: string; readonly cure: string };

/** Every issue that a field can have. */
export const issueMeanings: Readonly<Record<Issue, Meaning>> = {
  REQUIRED: { cause: 'the field is missing', cure: 'Send it; the description says when it is needed.' },
  UNKNOWN_FIELD: {
    cause: 'no such field, or a query parameter given twice',
    cure: 'Leave it out: a mistyped name, or a field of another operation.',
  },
  INVALID_TYPE: {
    cause: 'another JSON type is needed',
    cure: 'Send a text, number, object or list, as the schema says.',
  },
  INVALID_FORMAT: {
    cause: 'the text does not have the form of the field',
    cure: 'Send the form that the description names: documents and keys without mask, with valid check digits.',
  },
  INVALID_VALUE: {
    cause: 'not one of the allowed values; with 409: the state of the named resource is wrong',
    cure: 'Send one of the values that the description names. With 409 read the resource: an account may not be active.',
  },
  TOO_SHORT: { cause: 'too few characters or items', cure: 'Send at least as many as the description says.' },
  TOO_LONG: { cause: 'too many characters or items', cure: 'Shorten it to what the description allows.' },
  OUT_OF_RANGE: {
    cause: 'the number or date is outside its range',
    cure: 'Stay within the bounds that the description names; days are those of Brasilia.',
  },
  MUTUALLY_EXCLUSIVE: { cause: 'only one of several fields may be sent', cure: 'Keep one of them.' },
  MALFORMED_JSON: {
    cause: 'the body is not JSON, or names a member twice',
    cure: 'Let a library write the body, in UTF-8; send each member once.',
  },
  ALREADY_EXISTS: {
    cause: '409: the value is taken',
    cure:
      'If you created it, read it: a creation is repeated with its idempotency key alone. Else choose another value. ' +
      'An equal payout (`paymentData`) is created with `allowDuplicate: true`.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    cause: '422: the key was used for another request',
    cure: 'Repeat the first request unchanged, or send a new key for a new one.',
  },
  TRANSITION_NOT_ALLOWED: {
    cause: '409: the status forbids the move; the description names the allowed ones',
    cure: 'Read the resource, and choose a transition that its status allows.',
  },
  INSUFFICIENT_BALANCE: {
    cause: '409: the account has not enough money',
    cure: 'Read the balance: what is `reserved` cannot be spent. The same key may be used again once there is money.',
  },
  LIMIT_EXCEEDED: {
    cause: '409: a limit of the account or of the service is reached',
    cure: 'The description names the limit. Wait until it begins anew, or use what exists.',
  },
  EXPIRED: { cause: '409: the resource has expired', cure: 'Create a new one: a key validation, a code.' },
  OWNER_MISMATCH: {
    cause: '409: the key or QR code belongs to somebody else than the named receiver',
    cure: 'Ask the receiver for the right key. Do not pay by leaving `receiver` out.',
  },
  NOT_PAYABLE: {
    cause: 'the QR code or key cannot be paid',
    cure: 'The key is unknown, the code only authorizes a recurrence, or it is of Pix Saque or Troco: ask the receiver for another one.',
  },
  OUTSIDE_WINDOW: {
    cause: '409: not at this time of the day or on this day',
    cure: 'The description names the hours, which are those of Brasilia.',
  },
  WRONG_CODE: {
    cause: '409: the confirmation code is wrong',
    cure: 'Ask the holder again, with another idempotency key. After the fifth invalid code create the key again.',
  },
};

/** Every cause of a 401. */
export const tokenErrorMeanings: Readonly<Record<TokenError, Meaning>> = {
  MISSING: { cause: 'there is no header `authorization`', cure: 'Send `Authorization: Bearer …`.' },
  MALFORMED: {
    cause: 'the header is not `Bearer` and one JSON Web Token, or the token lacks its `exp`',
    cure: 'Send `access_token` as the token endpoint gave it, after the word `Bearer` and a blank.',
  },
  EXPIRED: { cause: 'the `exp` of the token has passed', cure: 'Get a new token, and send the same again.' },
  EARLY: {
    cause: 'the `nbf` of the token is more than 30 seconds ahead',
    cure: 'Tell the operator of the issuer that its clock is ahead. The same token may be refused for a minute longer.',
  },
  FOREIGN: {
    cause: 'another issuer, a key that the issuer does not publish, or a changed token',
    cure: 'Take `baseUrl` and `tokenUrl` of one environment.',
  },
};

/** Every status of an error. */
export const statusMeanings = {
  400: {
    cause: 'The request is wrong by itself; `details` names every faulty field.',
    cure: 'Correct all of them and send it again.',
  },
  401: {
    cause:
      'The token is missing, malformed, expired, not valid yet, or foreign (of another issuer): `message` says which.',
    cure: 'Get a new token and send it as `Authorization: Bearer …`. Nothing was carried out.',
  },
  403: {
    cause: noAccess,
    cure: 'Ask for the scope of this environment. If that does not help, the client belongs to no company: tell the operator.',
  },
  404: {
    cause: 'There is no such resource; those of other companies look the same.',
    cure: 'Check id, path and environment.',
  },
  409: {
    cause: 'The request is well formed, but the state of a resource forbids it.',
    cure: 'Read the resource. The same request may succeed once its state has changed.',
  },
  413: { cause: 'The body is larger than 64 KiB.', cure: 'Send less: no request needs as much.' },
  415: {
    cause: 'The body is not `application/json`, or not in UTF-8.',
    cure: 'Send `content-type: application/json`.',
  },
  422: {
    cause: 'The idempotency key was used for another request.',
    cure: 'Repeat the first request unchanged, or send a new key.',
  },
  429: {
    cause: 'Too many requests. Nothing was carried out.',
    cure: 'Wait `retry-after` seconds, and send the same again.',
  },
  500: {
    cause: 'The service failed.',
    cure: 'Send the same again with the same key. If it fails again, tell the operator the `x-request-id`.',
  },
  503: {
    cause: `The service cannot answer now. ${repetitionOfAny}`,
    cure: 'Wait `retry-after` seconds, and send the same again **with the same key**.',
  },
  504: {
    cause: `The service did not answer in time. ${repetitionOfAny}`,
    cure: 'Send the same again **with the same key**: it cannot happen twice.',
  },
} as const satisfies Readonly<Record<number, Meaning>>;

export type ErrorStatus = keyof typeof statusMeanings;

export const errorStatusList = Object.keys(statusMeanings).map(Number) as ErrorStatus[];

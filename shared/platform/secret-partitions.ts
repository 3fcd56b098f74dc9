import { keys } from './table/keys.ts';

/**
 * Matches any UUID, and nothing longer or shorter: in a condition of IAM `?` is one character, `*` any number of them,
 * `#` too.
 */
const anyUuid = '????????-????-????-????-????????????';

/**
 * What an IAM condition on `dynamodb:LeadingKeys` compares with: the partitions that hold secrets. Of fixed length,
 * because partners choose parts of other keys: an `externalId` may end in `#SECRET`, and a `*` would reach it.
 */
export const secretPartitions = keys.webhookSecret(anyUuid).PK;

/** The same for the places of slow answers, which are not secret. */
export const slowCallPartitions = keys.slowCalls(anyUuid).PK;

/** The same for the secrets from which confirmation codes are made. */
export const codeSecretPartitions = keys.codeSecret(anyUuid).PK;

/** And for the secret of keyed hashes, which is one for the service, for its lists are. */
export const hashSecretPartition = keys.hashSecret().PK;

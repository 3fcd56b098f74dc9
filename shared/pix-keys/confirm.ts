import type { Instant } from '../core/brasilia-time.ts';
import type { KeyValidation } from './model.ts';
import { addressOf } from './model.ts';
import type { Confirmation, KeyHolder } from './states.ts';
import { notFound } from '../core/errors.ts';
import { holderKeys, parseHolder } from './codes/request.ts';
import { isKeyTaken, parseKeyValidation } from './store.ts';
import type { Hash } from '../platform/keyed-hash.ts';
import { keys } from '../platform/table/keys.ts';
import type { Item, Key, Store } from '../platform/table/store.ts';

type ConfirmationBasis = KeyHolder & { readonly validation: KeyValidation; readonly isTaken: boolean };

/**
 * Reads the facts that a confirmation depends on, in two reads: only the validation names its key. The returned
 * function parses them.
 * @throws RequestError 404, in the returned function
 */
export async function findForConfirmation(
  { store, hash, realAt }: { readonly store: Store; readonly hash: Hash; readonly realAt: Instant },
  read: (names: readonly Key[]) => Promise<readonly (Item | undefined)[]>,
  ids: { readonly companyId: string; readonly accountId: string; readonly validationId: string },
): Promise<() => ConfirmationBasis> {
  const { companyId, accountId, validationId } = ids;
  const names = [...holderKeys(companyId, accountId), keys.keyValidation(companyId, accountId, validationId)];
  const [account, quota, item] = await read(names);
  const validation = item && parseKeyValidation(item);
  const address = validation && addressOf(validation);
  const isTaken =
    validation?.status === 'PENDING' &&
    address !== undefined &&
    (await isKeyTaken(store, hash, { companyId, ...address }));
  return () => {
    const holder = parseHolder(account, quota, realAt);
    if (validation === undefined) throw notFound('Key validation');
    return { ...holder, validation, isTaken };
  };
}

const wrong = 'WRONG#';
const answers = ['REGISTERING', 'CONFIRMED', 'REFUSED'] as const;
/** The status that the right code was answered with. */
type ConfirmationAnswer = (typeof answers)[number];

/** The result of a confirmation as its idempotency key stores it. */
export function resultName(decided: Confirmation): string {
  return decided.outcome === 'WRONG' ? `${wrong}${decided.triesLeft}` : answerTo(decided.validation);
}

/** @throws Error for a key of another status */
export function answerTo({ status }: Pick<KeyValidation, 'status'>): ConfirmationAnswer {
  return answerNamed(status);
}

/** Returns the tries left after a wrong code, or the answer to the right one, from the stored result. */
export function parseResult(result: string): { readonly triesLeft: number } | { readonly answer: ConfirmationAnswer } {
  return result.startsWith(wrong) ? { triesLeft: Number(result.slice(wrong.length)) } : { answer: answerNamed(result) };
}

function answerNamed(name: string): ConfirmationAnswer {
  const found = answers.find((answer) => answer === name);
  if (found === undefined) throw new Error('A right code has no such answer.');
  return found;
}

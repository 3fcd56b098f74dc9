import type { BankResponse } from '../refusal.ts';
import { ruleRefusal } from './refusals.ts';
import type { Session } from './session.ts';

/**
 * Returns the answer to a command whose `request_control_key` was used before, by the setting; undefined for a new key,
 * or when the command is carried out again.
 *
 * @param commands Earlier commands of the kind.
 * @throws Refusal when used keys are refused.
 */
export function answerUsedKey<T extends { readonly request_control_key: string }>(
  { settings }: Session,
  commands: readonly T[],
  key: string,
  answerOf: (first: T) => BankResponse,
): BankResponse | undefined {
  const first = commands.find(({ request_control_key: used }) => used === key);
  if (first === undefined) return undefined;
  switch (settings.repeatedKey) {
    case 'REFUSED':
      throw ruleRefusal('request_control_key has already been used', 'request_control_key já foi utilizada');
    case 'FIRST_ANSWER':
      return answerOf(first);
    case 'PAID_AGAIN':
      return undefined;
  }
}

import * as z from 'zod';
import type { PixKey } from '#shared/core/pix-key.ts';
import type { Command, UncheckedCommand } from '../outcome.ts';
import { checkedCommand } from '../outcome.ts';
import { Text } from './shapes.ts';

/** The registration of a PIX key for an account, in the DICT of the BCB. */
export type KeyOrder = {
  /** The id of the key at the service, the same on every repetition. */
  readonly reference: string;
  readonly accountId: string;
  readonly type: PixKey['type'];
  /** Absent for a random key: the bank makes it up. */
  readonly key?: string;
};

/** The removal of a registered key. */
type KeyRemoval = Omit<KeyOrder, 'key'> & { readonly key: string };

const KeyStateShape = z.discriminatedUnion('status', [
  z.object({ status: z.literal('PENDING') }),
  z.object({ status: z.literal('REGISTERED'), key: Text }),
]);
export type KeyState = z.output<typeof KeyStateShape>;

/** A refusal of a registration has one of these codes, or another one that the service does not tell apart. */
export const keyRefusalCodes = ['OWNED_ELSEWHERE', 'LIMIT_EXCEEDED'] as const;

/** `remove` is done when the account does not have the key any more, also if it never had it. */
export type Keys = {
  readonly register: Command<KeyOrder, KeyState>;
  readonly remove: Command<KeyRemoval, object>;
};
export type UncheckedKeys = {
  readonly register: UncheckedCommand<KeyOrder>;
  readonly remove: UncheckedCommand<KeyRemoval>;
};

export function checkedKeys({ register, remove }: UncheckedKeys): Keys {
  return { register: checkedCommand(KeyStateShape, register), remove: checkedCommand(z.object({}), remove) };
}

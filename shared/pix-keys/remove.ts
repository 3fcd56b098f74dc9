import type { TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import { readHash } from '../platform/keyed-hash.ts';
import type { KeyValidation } from './model.ts';
import { isBeingRemoved } from './model.ts';
import type { Registration } from './states.ts';
import { nextLookUp, nextVersion, removedKey } from './states.ts';
import { keyValidationUpdate, removalWrites, requireRegistration } from './store.ts';

type RemovalContext = Pick<TransitionContext, 'store' | 'companyId' | 'realNow' | 'at'>;
type KeyName = Pick<KeyValidation, 'companyId' | 'accountId' | 'id'>;
/** A request for a removal, with the client whose request it is. */
type Removal = KeyName & { readonly removedBy: string };

/**
 * Removes a key of the simulated bank; of any other bank it writes that its removal was asked for, as due work. A key
 * that is removed, or whose removal was asked for before, stays as it is. Returns the key as it is then.
 * @throws RequestError 404; 409 unless the key is confirmed
 */
export async function askRemoval(
  context: RemovalContext,
  { removedBy, ...name }: Removal,
): Promise<{ readonly validation: KeyValidation; readonly isNew: boolean }> {
  const { at, store } = context;
  const hash = await readHash(store);
  return commitTransition<Registration, { validation: KeyValidation; isNew: boolean }>(
    context,
    () => requireRegistration(store, name),
    (found) => {
      const { validation: before } = found;
      if (before.status === 'REMOVED' || isBeingRemoved(before))
        return { unchanged: { validation: before, isNew: false } };
      const asked = { ...nextVersion(before), removedBy };
      const after = removedKey({ ...found, validation: asked }, at);
      if (before.connection === undefined) return removal(hash, after);
      const validation = { ...asked, askedAt: at };
      const writes = [keyValidationUpdate(validation, nextLookUp(validation, at))];
      return { writes, result: { validation, isNew: true } };
    },
  );
}

function removal(hash: Parameters<typeof removalWrites>[0], after: Registration) {
  const { validation } = after;
  return {
    writes: removalWrites(hash, after),
    result: { validation, isNew: true },
    reached: [['KEY_VALIDATION', validation.status]],
  } as const;
}

/** Applies that its bank has no longer a key. */
export async function applyRemoval(context: RemovalContext, name: KeyName): Promise<void> {
  const hash = await readHash(context.store);
  await commitTransition(
    context,
    () => requireRegistration(context.store, name),
    (found) => {
      const { validation: before } = found;
      if (before.status === 'REMOVED') return { unchanged: { validation: before, isNew: false } };
      return removal(hash, removedKey({ ...found, validation: nextVersion(before) }, context.at));
    },
  );
}

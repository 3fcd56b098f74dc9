import type { Clock, Instant } from '#shared/core/brasilia-time.ts';
import { isPresentCode } from '#shared/pix-keys/model.ts';
import { codeFor, hashOfCode } from '#shared/pix-keys/codes/code.ts';
import type { CodeMessage, CodeSender } from '#shared/pix-keys/codes/sender.ts';
import { readOrMakeCodeSecret } from '#shared/pix-keys/codes/secret.ts';
import type { CodeName } from '#shared/pix-keys/model.ts';
import { codeHashUpdate, keyCodeUpdate, parseKeyCode, parseKeyValidation } from '#shared/pix-keys/store.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';

export type SendDeps = {
  readonly store: Store;
  readonly realNow: Clock;
  /** The time of a company, by which its codes expire. */
  readonly companyNow: (companyId: string) => Promise<Instant>;
  readonly send: CodeSender;
  /** Keeps the message where it can be read by the simulation tool. */
  readonly keepSentCode: (
    store: Store,
    companyId: string,
    sent: CodeName & CodeMessage & { readonly at: Instant },
  ) => Promise<void>;
};

/** A code that must be sent. */
export type OwedCode = CodeName & { readonly companyId: string };
export type SendEnd = 'SENT' | 'KEPT' | 'REFUSED' | 'DROPPED' | 'NOTHING_TO_DO';

/** Nothing is known to have been sent: the code is still owed. Its message names the kind of failure alone. */
class CodeNotSent extends Error {
  override readonly name = 'CodeNotSent';
}

/**
 * Sends a code that is owed, if it still is the present one of a pending validation. From the write of its hash on it
 * is the right one, so a holder is never quicker than the table; a resend that came in between makes that write fail,
 * and the code is dropped. Whoever dies after that sends the same code again: it is made from the validation, not
 * drawn.
 *
 * @throws CodeNotSent when it could not be sent; it is owed until it expires
 */
export async function sendKeyCode(deps: SendDeps, owed: OwedCode): Promise<SendEnd> {
  const { store, realNow, send } = deps;
  const { companyId, accountId, validationId, number } = owed;
  const end = async (how: 'sentAt' | 'refusedAt' | 'droppedAt'): Promise<void> => {
    await store.writeOne(keyCodeUpdate(companyId, owed, { [how]: realNow() }));
  };
  const [item, validationItem] = await store.read([
    keys.keyCode(companyId, accountId, validationId, number),
    keys.keyValidation(companyId, accountId, validationId),
  ]);
  if (item === undefined || validationItem === undefined) return 'NOTHING_TO_DO';
  const { sentAt, refusedAt, droppedAt } = parseKeyCode(item);
  if (sentAt !== undefined || refusedAt !== undefined || droppedAt !== undefined) return 'NOTHING_TO_DO';
  const validation = parseKeyValidation(validationItem);
  if (!isPresentCode(validation, number, await deps.companyNow(companyId))) {
    await end('droppedAt');
    return 'DROPPED';
  }
  const secret = await readOrMakeCodeSecret(store, companyId);
  const code = codeFor(secret, owed);
  const hash = hashOfCode(secret, owed, code);
  if (validation.codeHash !== hash && !(await store.writeOne(codeHashUpdate(companyId, owed, hash))).ok) {
    await end('droppedAt');
    return 'DROPPED';
  }
  const { type, key, validUntil } = validation;
  const message = { type, key, code, validUntil };
  const sending = await send(message);
  if (sending.outcome === 'FAILED') throw new CodeNotSent(sending.reason);
  if (sending.outcome === 'REFUSED') {
    await end('refusedAt');
    return 'REFUSED';
  }
  await deps.keepSentCode(store, companyId, { ...owed, ...message, at: realNow() });
  await end('sentAt');
  return sending.outcome;
}

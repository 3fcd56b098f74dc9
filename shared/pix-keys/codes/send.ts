import type { Clock, Instant } from '#shared/core/brasilia-time.ts';
import type { DueMessage } from '#shared/platform/jobs/due-queue.ts';
import type { JobDone } from '#shared/platform/jobs/due-worker.ts';
import type { DueRun } from '#shared/platform/jobs/run.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { CorruptItem } from '#shared/platform/table/store.ts';
import type { CodeName } from '../model.ts';
import { addressOf, isCurrentCode } from '../model.ts';
import { codeHashUpdate, codeOfDueId, keyCodeUpdate, parseKeyCode, parseKeyValidation } from '../store.ts';
import { codeFor, hashOfCode, readOrCreateCodeSecret } from './code.ts';
import type { CodeSender, SentCodes } from './sender.ts';

type SendDeps = {
  readonly store: Store;
  readonly realNow: Clock;
  /** The time of a company, by which its codes expire. */
  readonly companyNow: (companyId: string) => Promise<Instant>;
  readonly send: CodeSender;
  readonly keepSentCode: SentCodes['keepSentCode'];
};

type PendingCode = CodeName & { readonly companyId: string };
type CodeResult = 'SENT' | 'KEPT' | 'REFUSED' | 'DROPPED' | 'NOTHING_TO_DO';

/** The code may not have been sent and stays pending. The message holds only the kind of failure. */
class CodeNotSent extends Error {
  override readonly name = 'CodeNotSent';
}

/**
 * Sends a pending code if it still is the current one. It is valid once its hash is written, before the holder has it;
 * after a resend that write fails, and the code is dropped. A run after a crash computes the same code.
 * @throws CodeNotSent when it could not be sent; it is pending until it expires
 */
export async function sendKeyCode(deps: SendDeps, pending: PendingCode): Promise<CodeResult> {
  const { store, realNow, send } = deps;
  const { companyId, accountId, validationId, number } = pending;
  const end = async (field: 'sentAt' | 'refusedAt' | 'droppedAt'): Promise<void> => {
    await store.writeOne(keyCodeUpdate(companyId, pending, { [field]: realNow() }));
  };
  const [item, validationItem] = await store.read([
    keys.keyCode(companyId, accountId, validationId, number),
    keys.keyValidation(companyId, accountId, validationId),
  ]);
  if (item === undefined || validationItem === undefined) return 'NOTHING_TO_DO';
  const { sentAt, refusedAt, droppedAt } = parseKeyCode(item);
  if (sentAt !== undefined || refusedAt !== undefined || droppedAt !== undefined) return 'NOTHING_TO_DO';
  const validation = parseKeyValidation(validationItem);
  if (!isCurrentCode(validation, number, await deps.companyNow(companyId))) {
    await end('droppedAt');
    return 'DROPPED';
  }
  const secret = await readOrCreateCodeSecret(store, companyId);
  const code = codeFor(secret, pending);
  const hash = hashOfCode(secret, pending, code);
  if (validation.codeHash !== hash && !(await store.writeOne(codeHashUpdate(companyId, pending, hash))).ok) {
    await end('droppedAt');
    return 'DROPPED';
  }
  const address = addressOf(validation);
  if (address === undefined) throw new CorruptItem('A code is for a key that needs none.');
  const message = { ...address, code, validUntil: validation.validUntil };
  const result = await send(message);
  if (result.outcome === 'FAILED') throw new CodeNotSent(result.reason);
  if (result.outcome === 'REFUSED') {
    await end('refusedAt');
    return 'REFUSED';
  }
  await deps.keepSentCode(store, companyId, { ...pending, ...message, at: realNow() });
  await end('sentAt');
  return result.outcome;
}

export type SendRun = DueRun & SendDeps;
type SendCounts = Readonly<Record<'KeyCodesSent' | 'KeyCodesKept' | 'KeyCodesRefused' | 'KeyCodesDropped', number>>;

/** Sends a pending code: at once when it was written, and a minute later if it is still pending. */
export async function sendDueCode(run: SendRun, { companyId, id }: DueMessage): Promise<JobDone> {
  return { counts: countsOf([await sendKeyCode(run, { companyId, ...codeOfDueId(id) })]) };
}

function countsOf(results: readonly CodeResult[]): SendCounts {
  const count = (result: CodeResult): number => results.filter((candidate) => candidate === result).length;
  return {
    KeyCodesSent: count('SENT'),
    KeyCodesKept: count('KEPT'),
    KeyCodesRefused: count('REFUSED'),
    KeyCodesDropped: count('DROPPED'),
  };
}

/** Outside production: only codes for these addresses are sent, all others are only kept. */
export function sendOnlyTo(recipients: readonly string[], send: CodeSender, keep: CodeSender): CodeSender {
  return (message) => (recipients.includes(message.key) ? send(message) : keep(message));
}

import { isAbout } from '#shared/bank/about.ts';
import { unavailable } from '#shared/bank/calls/outcomes.ts';
import type { Connected } from '#shared/bank/connected.ts';
import { ownAccountAt } from '#shared/bank/holder.ts';
import type { CallContext } from '#shared/bank/outcome.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import type { KeyQuestion, MaskedOwner, OwnRecords, UncheckedDirectory } from '#shared/bank/ports/directory.ts';
import { firstOf } from '#shared/core/visible.ts';
import { accountKeyOf } from './connecting.ts';
import { KeyBody } from './shapes.ts';

/** Looks up keys in the DICT. The bank masks the owner's document, and compares one that it gets. */
export function qitechDirectory(connected: Connected, own: OwnRecords): UncheckedDirectory {
  return {
    resolveKey: (question, context) => lookUp(connected, question, context),
    resolveAccount: ownAccountAt(connected, own),
    resolveCharge: () => Promise.reject(new BankUnavailable('The service pays no codes at this bank.')),
  };
}

/**
 * Looks up a key for one payment: its end-to-end id may be used once, and the DICT gives the look-up back when the
 * payment has it. Undefined when the DICT does not have the key.
 * @throws BankUnavailable also for an answer about another key, or without a comparison
 */
export async function lookUp(
  connected: Connected,
  { key: { key }, accountId, receiver }: KeyQuestion,
  { signal }: CallContext,
): Promise<MaskedOwner | undefined> {
  const { client } = connected;
  const query = new URLSearchParams({
    account_key: accountKeyOf(connected, { id: accountId }),
    ...(receiver && { document_number: receiver.number }),
  });
  const path = `/pix_key/${encodeURIComponent(key)}?${query.toString()}`;
  const callOutcome = await client.question({ method: 'GET', path, signal });
  if (callOutcome.is === 'MISSING') return undefined;
  if (callOutcome.is !== 'OK') throw unavailable(callOutcome);
  const { data } = KeyBody.safeParse(callOutcome.body);
  if (data === undefined) throw new BankUnavailable('The bank response about a key is invalid.');
  const { pix_key: chave, owner_name, is_pix_key_owner: isReceiver, end_to_end_id: endToEndId } = data;
  if (!isAbout(client, { chave: key }, { chave }))
    throw new BankUnavailable('The bank response names another key than the request.');
  return { name: firstOf(owner_name, 140), isReceiver, endToEndId };
}

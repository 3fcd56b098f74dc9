import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { LedgerEntryRecord } from '#shared/accounts/contract.ts';
import { entryHash } from '#shared/accounts/chain/entry-hash.ts';
import { Decimal } from '#shared/contract/amount.ts';
import { CertificatePayload } from '#shared/certificates/contract.ts';
import { addCentavos, centavos, parseDecimal, subtractCentavos } from '#shared/core/money.ts';
import type { Centavos } from '#shared/core/money.ts';
import { jsonOf } from '../api/http.ts';
import { verifySigned } from './signed-text.ts';

// Later releases may add fields. The hash of an entry covers those of version 1.
const Entry = z.looseObject(LedgerEntryRecord.shape);
const { kind, id, orderId, accountId, outcome, since, issuedAt, endToEndId } = CertificatePayload.shape;
const Payload = z.looseObject({
  kind,
  id,
  orderId,
  accountId,
  outcome,
  since,
  issuedAt,
  endToEndId,
  version: z.literal(1),
  amount: z.looseObject({ value: Decimal }),
  payments: z.array(z.looseObject({ amount: Decimal, outcome, endToEndId })).optional(),
  debits: z.array(Entry),
});
const Answer = z.looseObject({ certificate: z.string(), payload: z.unknown() });

type Payload = z.output<typeof Payload>;
type Entry = z.output<typeof Entry>;
type Bad = { readonly ok: false; readonly error: string };
type Certificate = {
  readonly ok: true;
  /** Thumbprint of the key that signed it (RFC 7638). */
  readonly key: string;
  readonly payload: Payload;
};

/**
 * Verifies a certificate, from its text alone: its signature, and that its debits are what was paid.
 * @param text the answer of the service, or the compact JWS in it
 * @param key the thumbprint of the service's key, from elsewhere; without it the key in the certificate is trusted
 */
export function verifyCertificate(text: string, key?: string): Certificate | Bad {
  const answer = Answer.safeParse(jsonOf(text)).data;
  const jws = answer?.certificate ?? text.trim();
  const [, , signature = ''] = jws.split('.');
  const signed = isPlain(signature) ? verifySigned(jws, 'payment-certificate+jws') : undefined;
  if (signed === undefined) return bad('The file is no certificate of a payment, or it was changed.');
  if (key !== undefined && key !== signed.key) return bad(`The certificate is signed with another key: ${signed.key}.`);
  const payload = Payload.safeParse(signed.payload).data;
  if (payload === undefined) return bad('The certificate is of another version.');
  if (answer?.payload !== undefined && !isDeepStrictEqual(answer.payload, signed.payload))
    return bad('The payload beside the certificate is not the signed one.');
  const error = errorOf(payload);
  return error === undefined ? { ok: true, key: signed.key, payload } : bad(error);
}

/** Returns what contradicts itself in a certificate. */
function errorOf({ amount, payments, outcome, debits, orderId, accountId, id, kind }: Payload): string | undefined {
  const parts = payments?.filter((payment) => payment.outcome === 'CARRIED_OUT') ?? [];
  const whole = outcome === 'CARRIED_OUT' ? [amount.value] : [];
  const paid = addCentavos(...(payments === undefined ? whole : parts.map((part) => part.amount)).map(parseDecimal));
  if (addCentavos(...debits.map(takenBy)) !== paid) return 'The debits of the certificate are not what was paid.';
  if (outcome === 'CARRIED_OUT' && paid !== parseDecimal(amount.value))
    return 'The payments of the certificate are not its amount.';
  if (outcome === 'NOT_CARRIED_OUT' && paid !== 0) return 'The certificate has a debit of a payment that was not made.';
  const numbers = parts.flatMap(({ endToEndId }) => endToEndId ?? []);
  if (new Set(numbers).size !== numbers.length) return 'The certificate has one end-to-end id twice.';
  if (new Set(debits.map((debit) => debit.id)).size !== debits.length) return 'The certificate has one debit twice.';
  for (const debit of debits) {
    const isOwn = debit.accountId === accountId && debit.orderId === orderId;
    if (!isOwn || (kind === 'REFUND' && debit.refundId !== id)) return `The debit ${debit.id} is of another payment.`;
    if (debit.proof !== undefined && entryHash(debit.proof.previous, debit) !== debit.proof.hash)
      return `The debit ${debit.id} was changed after it was chained.`;
  }
  return undefined;
}

/** `later`: the number of entries that took money after a certificate that says `NOT_KNOWN` was issued. */
type Compared = { readonly ok: true; readonly later: number } | Bad;

/**
 * Compares a certificate with the lines of a verified statement: each of its debits is there, and no other entry but a
 * fee of the bank took money for the same payment or end-to-end id, whatever its type.
 */
export async function compareWithStatement(
  { issuedAt, outcome, debits, payments, kind, id, orderId, ...payload }: Payload,
  lines: AsyncIterable<string>,
): Promise<Compared> {
  const parts = (payments ?? [payload]).flatMap(({ endToEndId }) => endToEndId ?? []);
  const numbers = new Set([...parts, ...debits.flatMap(({ endToEndId }) => endToEndId ?? [])]);
  const certified = new Map(debits.map((debit) => [debit.id, debit]));
  const isSame = ({ refundId = '', orderId: order = '', endToEndId = '' }: Entry): boolean =>
    (kind === 'REFUND' ? refundId.toLowerCase() === id : order.toLowerCase() === orderId) || numbers.has(endToEndId);
  let later = 0;
  for await (const line of lines) {
    const entry = line === '' ? undefined : Entry.safeParse(jsonOf(line)).data;
    if (entry === undefined) continue;
    const debit = certified.get(entry.id);
    if (debit !== undefined) {
      if (!isEqual(debit, entry)) return bad(`The debit ${entry.id} is another one in the statement.`);
      certified.delete(entry.id);
    } else if (entry.type !== 'BANK_FEE' && takenBy(entry) > 0 && isSame(entry)) {
      // What was not known when the certificate was issued can have been paid since.
      if (outcome !== 'NOT_KNOWN' || entry.createdAt <= issuedAt)
        return bad(`The entry ${entry.id} takes money for the same payment once more.`);
      later += 1;
    }
  }
  const [missing] = certified.keys();
  if (missing !== undefined) return bad(`The statement has no entry ${missing}, a debit of the certificate.`);
  return { ok: true, later };
}

/** Whether two entries are one: by the fields that a hash covers, and by their proofs as far as both have one. */
function isEqual(debit: Entry, entry: Entry): boolean {
  const zeros = '0'.repeat(64);
  if (entryHash(zeros, debit) !== entryHash(zeros, entry)) return false;
  const [one, other] = [debit.proof, entry.proof];
  if (one === undefined || other === undefined) return true;
  return one.position === other.position && one.hash === other.hash && one.previous === other.previous;
}

/** By how much an entry lowers what the account has. */
function takenBy({ available, reserved, blocked }: Entry): Centavos {
  return subtractCentavos(centavos(0), addCentavos(...[available, reserved, blocked].map(parseDecimal)));
}

/** Whether a text is the one spelling of its bytes in base64url. */
function isPlain(text: string): boolean {
  return Buffer.from(text, 'base64url').toString('base64url') === text;
}

function bad(error: string): Bad {
  return { ok: false, error };
}

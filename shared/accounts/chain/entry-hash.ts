import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type * as z from 'zod';
import { pick } from '#shared/core/pick.ts';
import type { LedgerEntryRecord } from '../contract.ts';

type Entry = z.output<typeof LedgerEntryRecord>;

/** Version of the canonical form. Other fields take another version; the hashes of earlier entries stay. */
export const chainVersion = 1;

/** What the first entry of an account follows: 32 zero bytes, hexadecimal like every hash. */
export const noEntry = '0'.repeat(64);

/** The hash of an entry in the chain of its account: SHA-256 of the hash before it and of the canonical entry. */
export function entryHash(previous: string, entry: Entry): string {
  return createHash('sha256').update(previous, 'hex').update(canonicalEntry(entry), 'utf8').digest('hex');
}

/** The fields of version 1 as canonical JSON (RFC 8785), whatever later fields an entry has. */
function canonicalEntry({ counterparty, ...entry }: Entry): string {
  const parts = pick(entry, 'id', 'accountId', 'type', 'available', 'reserved', 'blocked', 'createdAt');
  const references = pick(entry, 'orderId', 'refundId', 'creditId', 'disputeId', 'endToEndId', 'controlNumber');
  const other = counterparty && {
    name: counterparty.name,
    document: pick(counterparty.document, 'type', 'number'),
    ...(counterparty.bank && { bank: pick(counterparty.bank, 'ispb', 'branch', 'account') }),
  };
  return canonicalize({ version: chainVersion, ...parts, ...references, ...(other && { counterparty: other }) }) ?? '';
}

import { ListEntries } from '#functions/accounts/list-entries/contract.ts';
import { GetRefundCertificate } from '#functions/pay-ins/get-refund-certificate/contract.ts';
import { GetPayoutCertificate } from '#functions/payouts/get-certificate/contract.ts';
import type { Partner } from '@banking-order/partner-tools';
import { LedgerEntryRecord } from '#shared/accounts/contract.ts';
import { certificateErrors } from '#test/support/certificate-check.ts';
import type { Violation } from '../journal.ts';
import type { Resource } from './resources.ts';
import { listAll } from './resources.ts';

/** Verifies the statements of a company and the certificate of each of its payouts and refunds, as a partner can. */
export async function findCertificateViolations(
  partner: Partner,
  resources: readonly Resource[],
): Promise<readonly Violation[]> {
  const payments = [];
  for (const { kind, id, about, statuses } of resources) {
    if (kind !== 'PAYOUT' && kind !== 'REFUND') continue;
    const [contract, params] =
      kind === 'PAYOUT'
        ? ([GetPayoutCertificate, { id }] as const)
        : ([GetRefundCertificate, { id: about, refundId: id }] as const);
    const { text } = await partner.answer(contract, { params });
    payments.push({ id, status: statuses.at(-1) ?? '', text });
  }
  const statements = new Map<string, readonly string[]>();
  for (const { id: accountId } of partner.accounts) {
    const asked = { params: { accountId }, query: { proof: 'true' } };
    const entries = await listAll(partner, ListEntries, LedgerEntryRecord, asked);
    statements.set(
      accountId,
      entries.map((entry) => JSON.stringify(entry)),
    );
  }
  const errors = await certificateErrors(statements, payments);
  return errors.map((text) => ({ invariant: 'each certificate verifies with the statement', text, ids: [] }));
}

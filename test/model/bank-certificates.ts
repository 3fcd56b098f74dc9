import { companyItem } from '#shared/platform/company.ts';
import { newCursorKey } from '#shared/platform/table/cursor.ts';
import { parsePayout } from '#shared/payouts/store.ts';
import { parseRefund } from '#shared/refunds/store.ts';
import { account, companyOne } from '../support/bank-world.ts';
import type { bankWorld } from '../support/bank-world.ts';
import { certificateErrors, unrefusedForgeries } from '../support/certificate-check.ts';
import { closeStatement } from '../support/closed-statement.ts';
import type { Draws } from './bank-books.ts';
import type { Problem } from './bank-checks.ts';
import { otherAccount } from './bank-partner.ts';

type World = ReturnType<typeof bankWorld>;
type EntriesPage = { readonly data: readonly { readonly proof?: object }[]; readonly nextCursor: string | null };

/**
 * Chains all entries, and verifies statements and certificates. A statement with a debit twice is refused.
 * @returns how many certificates were verified
 */
export async function checkCertificates(world: World, draws: Draws, problems: Problem[]): Promise<number> {
  const report = (text: string): void => void problems.push({ check: 'certificate', text });
  // Cursors of lists are authenticated by its key.
  const company = { companyId: companyOne, organizationId: 'o', name: 'n', createdAt: world.clock.now };
  await world.store.writeOne({ put: companyItem({ ...company, cursorKey: newCursorKey() }) });
  const statements = new Map<string, readonly string[]>();
  for (const accountId of [account, otherAccount]) {
    await closeStatement(world, accountId);
    const entries = await readStatement(world, accountId);
    if (entries.some(({ proof }) => proof === undefined)) report(`${accountId} has an entry without a proof`);
    statements.set(
      accountId,
      entries.map((entry) => JSON.stringify(entry)),
    );
  }
  const payments = await readCertificates(world);
  for (const error of await certificateErrors(statements, payments)) report(error);
  for (const id of await unrefusedForgeries(statements, payments, (count) => draws.between(0, count)))
    report(`${id}: a second debit is not refused`);
  return payments.length;
}

/** Reads the statement of an account with its proofs, page by page. */
async function readStatement({ listEntries }: World, accountId: string): Promise<EntriesPage['data']> {
  const entries: EntriesPage['data'][number][] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const query = { proof: 'true', limit: '100', ...(cursor !== '' && { cursor }) };
    const { body } = await listEntries({ companyId: companyOne, params: { accountId }, query });
    const { data, nextCursor } = body as EntriesPage;
    entries.push(...data);
    cursor = nextCursor;
  }
  return entries;
}

async function readCertificates(world: World) {
  const payouts = world.items('PAYOUT').map(async (item) => {
    const { id, status } = parsePayout(item);
    const { text } = await world.getPayoutCertificate({ companyId: companyOne, params: { id } });
    return { id, status, text };
  });
  const refunds = world.items('REFUND').map(async (item) => {
    const { id: refundId, orderId: id, status } = parseRefund(item);
    const { text } = await world.getRefundCertificate({ companyId: companyOne, params: { id, refundId } });
    return { id: refundId, status, text };
  });
  return Promise.all([...payouts, ...refunds]);
}

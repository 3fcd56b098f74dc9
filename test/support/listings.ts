import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Account } from '#shared/accounts/model.ts';
import { companyItem } from '#shared/platform/company.ts';
import { newCursorKey } from '#shared/platform/table/cursor.ts';
import type { Store } from '#shared/platform/table/store.ts';

const t0 = '2026-01-15T12:00:00.000Z';

/** A company of its own, with the key of its cursors. */
export async function openCompany(store: Store): Promise<string> {
  const companyId = randomUUID();
  const item = companyItem({ companyId, organizationId: 'o', name: 'n', cursorKey: newCursorKey(), createdAt: t0 });
  await store.write([{ put: item }], randomUUID());
  return companyId;
}

/** A sample account; `more` replaces the fields that matter. */
export function sampleAccount(more: Partial<Account> & Pick<Account, 'companyId'>): Account {
  return {
    id: randomUUID(),
    status: 'ACTIVE',
    holderType: 'INDIVIDUAL',
    fullName: 'Maria da Conceição Araújo',
    email: 'maria.araujo@example.com',
    phone: '+5511900000102',
    document: { type: 'CPF', number: '52998224725' },
    bankAccountData: {
      ispb: '00000000',
      bankNumber: '001',
      branchNumber: '0001',
      accountNumber: '123456',
      accountType: 'PAYMENT_ACCOUNT',
      createdAt: t0,
    },
    createdAt: t0,
    ...more,
  };
}

type WalkedPage = { readonly ids: readonly string[]; readonly hasNext: boolean; readonly nextCursor: string | null };

/** Every page of a listing, to its end. */
export async function walkPages(
  pageAt: (cursor: string | undefined) => Promise<WalkedPage>,
): Promise<(readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  for (let cursor: string | undefined; pages.length < 200;) {
    const { ids, hasNext, nextCursor } = await pageAt(cursor);
    pages.push(ids);
    expect(hasNext).toBe(nextCursor !== null);
    if (nextCursor === null) return pages;
    cursor = nextCursor;
  }
  throw new Error('The walk does not end.');
}

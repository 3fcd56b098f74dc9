import { describe, expect, it } from 'vitest';
import { seedSandbox } from '#local-environment/sandbox.ts';
import { companyOfScenarios } from '@banking-order/partner-tools';
import { isValidDocument } from '#shared/core/document.ts';
import { readApiClient } from '#shared/access/api-clients.ts';
import { readAccount } from '#shared/accounts/store.ts';
import { keys, prefixes } from '#shared/platform/table/keys.ts';
import { parseLedgerEntry } from '#shared/platform/ledger/ledger.ts';
import { readBalance } from '#shared/platform/ledger/shards.ts';
import { parseWebhookSecret } from '#shared/webhooks/settings-store.ts';
import { at, testOperator } from '#test/operator/terminal.ts';
import { each } from '#test/support/each.ts';

async function seeded() {
  const { store, ids, now, secrets } = testOperator();
  const register = (clientId: string, secret: string) => Promise.resolve(void secrets.set(clientId, secret));
  const companies = await seedSandbox({ store, ids, now, registry: { register } });
  const accounts = await Promise.all(
    companies.map((company) =>
      Promise.all(company.accounts.map(async ({ id }) => (await readAccount(store, company.companyId, id))!)),
    ),
  );
  return { store, secrets, companies, accounts };
}

describe('the sandbox', () => {
  it('has two companies and one for scenarios, whose clients and webhook secrets work', async () => {
    const { store, secrets, companies } = await seeded();
    expect(companies.map(({ name }) => name).indexOf(companyOfScenarios)).toBe(2);
    expect(companies).toHaveLength(3);
    for (const { companyId, clientId, clientSecret, webhookSecret } of companies) {
      expect(await readApiClient(store, clientId)).toMatchObject({ companyId, status: 'ACTIVE' });
      expect(secrets.get(clientId)).toBe(clientSecret);
      const [secret] = await store.read([keys.webhookSecret(companyId)]);
      expect(parseWebhookSecret(secret!).current).toBe(webhookSecret);
    }
  });

  it('has accounts of different age, holder and status, the first active with money for every trial', async () => {
    const { store, companies, accounts } = await seeded();
    for (const [index, own] of each(accounts.entries())) {
      const { companyId } = companies[index]!;
      expect(own.length).toBeGreaterThanOrEqual(3);
      expect(new Set(own.map(({ createdAt }) => createdAt)).size).toBe(own.length);
      expect(own.every(({ createdAt }) => createdAt < at)).toBe(true);
      expect(new Set(own.map(({ status }) => status))).toEqual(new Set(['ACTIVE', 'INACTIVE', 'CLOSED']));
      expect(new Set(own.map(({ holderType }) => holderType)).size).toBeGreaterThanOrEqual(2);
      expect(own[0]?.status).toBe('ACTIVE');
      expect(await readBalance(store, companyId, own[0]!.id)).toMatchObject({ available: 100_000_000, reserved: 0 });
    }
  });

  it('lists each account with the values of the table', async () => {
    const { companies, accounts } = await seeded();
    expect(companies.map((company) => company.accounts)).toEqual(
      accounts.map((own) => own.map(({ id, status, fullName, document }) => ({ id, status, fullName, document }))),
    );
  });

  it('has valid documents, one of them a CNPJ with letters, and names with accents', async () => {
    const all = (await seeded()).accounts.flat();
    const brazilian = all.map(({ document }) => document).filter(({ type }) => type === 'CPF' || type === 'CNPJ');
    for (const { type, number } of brazilian)
      expect(isValidDocument(type as 'CPF' | 'CNPJ', number), number).toBe(true);
    expect(brazilian.some(({ number }) => /[A-Z]/u.test(number))).toBe(true);
    expect(all.some(({ fullName }) => /\p{Mn}/u.test(fullName.normalize('NFD')))).toBe(true);
    expect(new Set(all.map(({ document }) => document.number)).size).toBe(all.length);
  });

  it('has an entry for all money that is in an account', async () => {
    const { store, accounts } = await seeded();
    for (const { companyId, id, createdAt } of each(accounts.flat())) {
      const { PK } = keys.account(companyId, id);
      const { items } = await store.query({ partition: PK, prefix: prefixes.ledgerEntry });
      const entries = items.map(parseLedgerEntry);
      const balance = await readBalance(store, companyId, id);
      expect(entries.reduce((sum, entry) => sum + entry.available, 0)).toBe(balance?.available);
      expect(entries.every(({ at, kind }) => at === createdAt && kind === 'OPENING')).toBe(true);
    }
  });

  it('can be seeded again beside the companies of an earlier seed', async () => {
    const { store, ids, now } = testOperator();
    const register = () => Promise.resolve();
    await seedSandbox({ store, ids, now, registry: { register } });
    expect(await seedSandbox({ store, ids, now, registry: { register } })).toHaveLength(3);
  });
});

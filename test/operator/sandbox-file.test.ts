import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAccount, setAccountStatus } from '#infra/operator/accounts/accounts.ts';
import { createClient, createCompany, rotateSecret } from '#infra/operator/onboarding.ts';
import type { SandboxFile } from '#infra/operator/local-environment.ts';
import { openSandboxFile } from '#infra/operator/local-environment.ts';
import { testOperator } from './terminal.ts';

const addresses = { baseUrl: 'http://127.0.0.1:1', tokenUrl: 'http://127.0.0.1:1/t', scope: 'x' };
const document = { type: 'CNPJ', number: '11222333000181' } as const;
const holder = {
  holderType: 'ORGANIZATION',
  fullName: 'Café',
  email: 'a@b.example',
  phone: '+5511900000101',
  document,
} as const;

let folder: string;
let file: string;
let sandbox: SandboxFile;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  file = join(folder, 'sandbox.json');
  sandbox = openSandboxFile(file);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});
const companies = (): unknown => (JSON.parse(readFileSync(file, 'utf8')) as { companies: unknown }).companies;

describe('the sandbox file', () => {
  it('shows a company that commands made, as it grows and changes', async () => {
    writeFileSync(file, JSON.stringify({ ...addresses, companies: [] }));
    const operator = { ...testOperator(), sandbox };
    const { companyId, webhookSecret } = await createCompany(operator, { name: 'Café' });
    expect(companies()).toEqual([{ companyId, name: 'Café', webhookSecret, accounts: [] }]);
    const { clientId, clientSecret } = await createClient(operator, { companyId });
    const account = await createAccount(operator, { ...holder, companyId, ispb: '00000000' });
    const known = { companyId, name: 'Café', clientId, clientSecret };
    const entry = { id: account.id, fullName: 'Café', document };
    expect(companies()).toEqual([{ ...known, webhookSecret, accounts: [{ ...entry, status: 'ACTIVE' }] }]);
    const rotated = await rotateSecret(operator, { companyId, overlapSeconds: 0 });
    await setAccountStatus(operator, { companyId, accountId: account.id, status: 'INACTIVE' });
    const changed = { ...known, webhookSecret: rotated.webhookSecret, accounts: [{ ...entry, status: 'INACTIVE' }] };
    expect(companies()).toEqual([changed]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is left alone where there is none', async () => {
    const operator = { ...testOperator(), sandbox };
    await createCompany(operator, { name: 'Café' });
    expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
  });
});

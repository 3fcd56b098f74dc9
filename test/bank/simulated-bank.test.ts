import { beforeAll, describe, expect, it } from 'vitest';
import { chargeLocation } from '#shared/core/br-code/location.ts';
import { isValidDocument } from '#shared/core/document.ts';
import { recognisePixKey } from '#shared/core/pix-key.ts';
import { readOrMakeHash } from '#shared/platform/keyed-hash.ts';
import type { Charge, KeyOwner, MaskedOwner } from '#shared/bank/ports/directory.ts';
import type { PaymentOrder } from '#shared/bank/ports/payouts.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import { refusedAccounts, reservedCharges, reservedKeys, timeoutAccount } from '#shared/bank/simulated/reserved.ts';
import { fc } from '../support/properties.ts';
import { account, bankWorld, companyOne, holder, noon, otherCompany, payInBody } from '../support/bank-world.ts';

const asking = { companyId: companyOne, connection: undefined, at: noon };

function asked(text: string) {
  const key = recognisePixKey(text);
  if (key === undefined) throw new Error(`${text} is no key.`);
  return { key, accountId: account };
}

/** An owner whose document is not masked. */
function unmasked(owner: KeyOwner | MaskedOwner | undefined): KeyOwner {
  if (owner === undefined || !('document' in owner)) throw new Error('The owner is masked.');
  return owner;
}

describe('the owner of a key', () => {
  const [{ bank, store }, other] = [bankWorld(), bankWorld()];
  beforeAll(() => Promise.all([store, other.store].map(readOrMakeHash)));

  it('is the taxpayer of a CPF or CNPJ key', async () => {
    await expect(bank.directory.resolveKey(asked('52998224725'), asking)).resolves.toMatchObject({
      document: { type: 'CPF', number: '52998224725' },
    });
    await expect(bank.directory.resolveKey(asked('12ABC34501DE35'), asking)).resolves.toMatchObject({
      document: { type: 'CNPJ', number: '12ABC34501DE35' },
    });
  });

  it.each([
    ['52998224725@example.com', 'CPF', '52998224725'],
    ['maria.52998224725@example.com', 'CPF', '52998224725'],
    ['shop+12abc34501de35@example.com', 'CNPJ', '12ABC34501DE35'],
  ])('is the taxpayer whose document stands before the @ of the e-mail key %s', async (text, type, number) => {
    await expect(bank.directory.resolveKey(asked(text), asking)).resolves.toMatchObject({ document: { type, number } });
  });

  it('is made up for every other key: always the same, with a valid document and an account', async () => {
    const keys = fc.oneof(
      fc.uuid(),
      fc.stringMatching(/^[a-z]{1,12}@[a-z]{1,8}\.br$/),
      fc.stringMatching(/^\+55119[0-9]{8}$/),
    );
    await fc.assert(
      fc.asyncProperty(keys, async (text) => {
        const owner = unmasked(await bank.directory.resolveKey(asked(text), asking));
        expect(owner).toEqual(
          await other.bank.directory.resolveKey(asked(text), { ...asking, companyId: otherCompany }),
        );
        expect(isValidDocument(owner.document.type, owner.document.number)).toBe(true);
        expect(owner.name).not.toBe('');
        expect(owner.bank.branch).toMatch(/^\d{4}$/);
        expect(owner.bank.account).toMatch(/^\d{8}$/);
      }),
      { numRuns: 200 },
    );
  });

  it('is the holder of the company’s own account, whose id is its random key', async () => {
    const world = bankWorld();
    await world.openAccount(0);
    const owner = await world.bank.directory.resolveKey(asked(account), asking);
    expect(owner).toMatchObject({ ...holder, bank: { ispb: '99999004', branch: '0001', account: '1234567' } });
    const otherCompanyOwner = await world.bank.directory.resolveKey(asked(account), {
      ...asking,
      companyId: otherCompany,
    });
    expect(otherCompanyOwner!.name).not.toBe(holder.name);
  });

  it('is missing, another holder or unavailable for the reserved keys', async () => {
    await expect(bank.directory.resolveKey(asked(reservedKeys.notFound), asking)).resolves.toBeUndefined();
    await expect(bank.directory.resolveKey(asked(reservedKeys.ownerMismatch), asking)).resolves.toMatchObject({
      document: { number: '11222333000181' },
    });
    await expect(bank.directory.resolveKey(asked(reservedKeys.unavailable), asking)).rejects.toThrow(BankUnavailable);
  });
});

describe('the charge of a dynamic QR code', () => {
  const { bank } = bankWorld();

  it('is made up for an address that the environment does not know, and takes any amount', async () => {
    const charge = await bank.directory.resolveCharge(
      { url: 'pix.example.com/8b3da2f39a4140d1a91abd93113bd441', qrcodeData: '' },
      asking,
    );
    expect(charge).toMatchObject({ state: 'OPEN', txid: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(charge).not.toHaveProperty('amount');
    expect(charge).toEqual(
      await bank.directory.resolveCharge(
        { url: 'pix.example.com/8b3da2f39a4140d1a91abd93113bd441', qrcodeData: '' },
        asking,
      ),
    );
  });

  it.each([
    [reservedCharges.expired, 'EXPIRED'],
    [reservedCharges.notPayable, 'NOT_PAYABLE'],
  ])('at %s is %s', async (token, state) => {
    await expect(
      bank.directory.resolveCharge({ url: `pix.example.com/${token}`, qrcodeData: '' }, asking),
    ).resolves.toEqual({ state });
  });

  it('does not exist, or cannot be asked for, at the other reserved addresses', async () => {
    await expect(
      bank.directory.resolveCharge({ url: `pix.example.com/qr/${reservedCharges.notFound}`, qrcodeData: '' }, asking),
    ).resolves.toBeUndefined();
    await expect(
      bank.directory.resolveCharge({ url: `pix.example.com/${reservedCharges.unavailable}`, qrcodeData: '' }, asking),
    ).rejects.toThrow(BankUnavailable);
  });

  it('is the pay-in of the company that asks, as long as it can be paid', async () => {
    const world = bankWorld();
    await world.openAccount(0);
    const body = payInBody({ expiresInSeconds: 3600 });
    const created = (await world.createPayIn({ companyId: companyOne, key: 'k', body })).body as { id: string };
    const url = chargeLocation('pix.service.example', created.id);
    const found = (at: string, companyId = companyOne) =>
      world.bank.directory.resolveCharge({ url, qrcodeData: '' }, { companyId, connection: undefined, at });
    await expect(found(noon)).resolves.toMatchObject({
      state: 'OPEN',
      amount: 2500,
      key: { type: 'RANDOM', key: account },
      owner: holder,
    });
    await expect(found('2026-01-15T16:00:00.000Z')).resolves.toEqual({ state: 'EXPIRED' });
    const otherCompanyCharge = (await found(noon, otherCompany)) as Charge & { amount?: number };
    expect(otherCompanyCharge.amount, 'another company does not see it').toBeUndefined();
    await world.force(created.id, 'PAID');
    await expect(found(noon)).resolves.toEqual({ state: 'NOT_PAYABLE' });
  });
});

describe('a submission', () => {
  const { bank } = bankWorld();
  const payer = {
    id: 'account-1',
    name: 'Padaria',
    document: '11444777000161',
    bank: { ispb: '99999004', account: '1' },
  };
  const instruction = (receiver: Partial<PaymentOrder['receiver']>): PaymentOrder => ({
    reference: 'order-1',
    endToEndId: 'E1',
    initiation: 'KEY',
    amount: 100 as PaymentOrder['amount'],
    payer,
    receiver: { name: 'Maria', document: { type: 'CPF', number: '52998224725' }, ...receiver },
    description: 'Supplier',
  });

  const submitted = (order: PaymentOrder) => bank.payouts.send.submit(order, asking);

  it('is accepted, also the second time', async () => {
    for (let times = 0; times < 2; times += 1)
      await expect(submitted(instruction({}))).resolves.toEqual({
        outcome: 'DONE',
        state: { status: 'ACCEPTED', returns: [] },
      });
  });

  it('is refused or left unanswered for the reserved keys and accounts', async () => {
    const account = (number: string) => instruction({ bank: { ispb: '60701190', account: number } });
    const key = (text: string) => instruction({ pix: asked(text).key });
    await expect(submitted(key(reservedKeys.refused))).resolves.toMatchObject({
      outcome: 'REFUSED',
      code: 'AC03',
    });
    for (const [code, number] of Object.entries(refusedAccounts))
      await expect(submitted(account(number))).resolves.toMatchObject({ outcome: 'REFUSED', code });
    for (const silent of [key(reservedKeys.timeout), account(timeoutAccount)])
      await expect(submitted(silent)).resolves.toEqual({ outcome: 'UNKNOWN' });
  });
});

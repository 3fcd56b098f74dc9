import { expect, it } from 'vitest';
import type { PayoutRecord } from '#shared/payouts/contract.ts';
import type * as z from 'zod';
import { isValidDocument } from '#shared/core/document.ts';
import { bankAccountTypes } from '#shared/accounts/model.ts';
import { buildDynamicCode } from '#shared/core/br-code/build.ts';
import { buildStaticCode } from '#test/support/static-code.ts';
import { account, bankWorld, companyOne, payoutBody } from '#test/support/bank-world.ts';
import { fc } from '#test/support/properties.ts';

type Shown = z.output<typeof PayoutRecord>;

const merchant = { name: 'Maria', city: 'Recife' };
const digits = (length: number) =>
  fc.integer({ min: 0, max: 10 ** length - 1 }).map((n) => `${n}`.padStart(length, '0'));
const maria = { name: 'Maria Silva', document: { type: 'CPF', number: '52998224725' } };
const acme = { name: 'ACME', document: { type: 'CNPJ', number: '12ABC34501DE35' } };
const pixKey = fc.oneof(
  fc.constantFrom('52998224725', '12ABC34501DE35', '12abc34501de35'),
  digits(9).map((phone) => `+5511${phone}`),
  fc.uuid().map((key) => key.toUpperCase()),
  digits(6).map((name) => `Maria.${name}@Example.com`),
);
const staticCode = fc
  .tuple(pixKey, fc.constantFrom({}, { txid: 'PEDIDO42' }))
  .map(([key, more]) => buildStaticCode({ merchant, pixKey: key, ...more }));
const dynamicCode = fc.uuid().map((id) => buildDynamicCode({ merchant, url: `pix.example.com/qr/${id}` }));
const bank = fc.constantFrom({ ispb: '60701190' }, { bankNumber: '341' }, { bankNumber: '1' }, { ispb: '99999004' });
const both = fc.constant({ ispb: '60701190', bankNumber: '341' });
const bankAccount = fc
  .tuple(fc.oneof(bank, both), fc.constantFrom(...bankAccountTypes), digits(4), digits(7))
  .map(([named, accountType, branchNumber, number]) => ({
    ...named,
    ...{ accountType, branchNumber, accountNumber: `${number}-X` },
  }));
const toAccount = fc.record({
  paymentMethod: fc.constantFrom('PIX', 'TED'),
  paymentData: fc.record({ bankAccount }),
  receiver: fc.constantFrom(maria, acme),
});
const byCode = fc.record({ qrcodeData: fc.oneof(staticCode, dynamicCode) });
const toCode = fc.record({ paymentMethod: fc.constant('PIX'), paymentData: fc.oneof(fc.record({ pixKey }), byCode) });
const batch = fc.constantFrom('10.00', '31000.00');

it('shows whom it paid, from where and how as it was asked for, in every form, alone and split', async () => {
  const asked = fc.oneof(toAccount, toCode);
  await fc.assert(
    fc.asyncProperty(asked, batch, async (form, value) => {
      const world = bankWorld();
      await world.openAccount(100_000_00);
      const call = {
        companyId: companyOne,
        key: 'once',
        body: payoutBody({ ...form, amount: { currency: 'BRL', value } }),
      };
      const created = await world.createPayout(call);
      expect(created.status, created.text).toBe(201);
      const { id } = created.body as { id: string };
      const receiverOf = () => world.items('PAYOUT')[0]!['receiver'] as Shown['receiver'];
      const read = (await world.getPayout({ companyId: companyOne, params: { id } })).body as Shown;
      const [listed] = ((await world.listPayouts({ companyId: companyOne })).body as { data: Shown[] }).data;
      expect(listed).toEqual(read);
      expect(read).toMatchObject({ ...(created.body as object), accountId: account });
      expect([read.paymentMethod, read.paymentData]).toEqual([form.paymentMethod, form.paymentData]);
      if ('receiver' in form) expect(read.receiver).toEqual(form.receiver);
      expect(receiverOf()).toMatchObject(read.receiver);
      expect(isValidDocument(read.receiver.document.type, read.receiver.document.number)).toBe(true);
      await world.force(id, 'PAID');
      const after = (await world.getPayout({ companyId: companyOne, params: { id } })).body as Shown;
      expect([after.receiver, after.paymentData]).toEqual([read.receiver, read.paymentData]);
      expect(world.notifications()).toMatchObject([{ receiver: read.receiver }]);
      expect(Object.keys(world.notifications()[0]!)).not.toContain('paymentData');
      expect((await world.createPayout(call)).text, 'the response to the creation is unchanged').toBe(created.text);
      expect(Object.keys(created.body as object)).not.toContain('paymentData');
    }),
    { numRuns: 60 },
  );
});

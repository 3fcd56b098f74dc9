import { describe, expect, it } from 'vitest';
import { centavos } from '#shared/core/money.ts';
import type { PayoutTarget } from '#shared/payouts/target.ts';
import type { RequestError } from '#shared/core/errors.ts';
import type { Charge, KeyOwner } from '#shared/bank/ports/directory.ts';
import { resolveTarget } from '#shared/payouts/resolve-target.ts';
import { account, companyOne, noon, receiver } from '../support/bank-world.ts';

const asking = { companyId: companyOne, connection: undefined, at: noon };
const amount = centavos(1000);
const bank = { ispb: '60701190', account: '12345' };
const owner = { name: 'Maria da Silva', document: receiver.document, bank };
const key = { type: 'EMAIL', key: 'maria@example.com' } as const;
const byKey: PayoutTarget = { initiation: 'KEY', key };
const byStatic: PayoutTarget = { initiation: 'STATIC_QRCODE', key, txid: 'PEDIDO42' };
const byDynamic: PayoutTarget = { initiation: 'DYNAMIC_QRCODE', url: 'pix.example.com/cob/1', qrcodeData: '000201' };
const charge: Charge = { state: 'OPEN', key, owner, txid: 'a'.repeat(32), amount };
const asked = (target: PayoutTarget) => ({ target, amount, accountId: account, keyLookup: 'FULL' as const });
const stranger = { name: 'João', document: { type: 'CPF', number: '11144477735' } } as const;

function directoryThat(responses: { owner?: KeyOwner; charge?: Charge }) {
  return {
    resolveKey: () => Promise.resolve(responses.owner),
    resolveAccount: () => Promise.resolve(responses.owner),
    resolveCharge: () => Promise.resolve(responses.charge),
  };
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = (await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )) as RequestError;
  return `${error.kind} ${error.details.map(({ field, issue }) => `${field} ${issue}`).join()}`;
}

describe('the receiver of a payout', () => {
  it('is the owner in the reply of the bank, with the key, when the target is a key or a QR code', async () => {
    const found = { name: 'Maria da Silva', document: receiver.document, bank, pix: key };
    const known = directoryThat({ owner, charge });
    const resolve = (target: PayoutTarget) => resolveTarget(known, { ...asked(target), receiver: receiver }, asking);
    await expect(resolve(byKey)).resolves.toEqual({ initiation: 'KEY', receiver: found });
    await expect(resolve(byStatic)).resolves.toEqual({
      initiation: 'STATIC_QRCODE',
      receiver: found,
      txid: 'PEDIDO42',
    });
    await expect(resolve(byDynamic)).resolves.toEqual({
      initiation: 'DYNAMIC_QRCODE',
      receiver: found,
      txid: 'a'.repeat(32),
    });
  });

  it('is the one of the request, with key and txid, for a key or static QR code without a lookup at the bank', async () => {
    const unknown = directoryThat({});
    const resolve = (target: PayoutTarget) =>
      resolveTarget(unknown, { ...asked(target), receiver, keyLookup: 'NONE' }, asking);
    const expectedReceiver = { ...receiver, pix: key };
    await expect(resolve(byKey)).resolves.toEqual({ initiation: 'KEY', receiver: expectedReceiver });
    await expect(resolve(byStatic)).resolves.toEqual({
      ...{ initiation: 'STATIC_QRCODE', receiver: expectedReceiver },
      txid: 'PEDIDO42',
    });
  });

  it('need not be given for a key or a QR code', async () => {
    for (const target of [byKey, byStatic, byDynamic])
      await expect(resolveTarget(directoryThat({ owner, charge }), asked(target), asking)).resolves.toBeDefined();
  });

  it('is the one of the request when the target is a bank account', async () => {
    const target: PayoutTarget = { initiation: 'MANUAL', bank };
    await expect(resolveTarget(directoryThat({}), { ...asked(target), receiver: receiver }, asking)).resolves.toEqual({
      initiation: 'MANUAL',
      receiver: { ...receiver, bank },
    });
  });

  it('is refused when the request names another person than the owner', async () => {
    for (const target of [byKey, byStatic, byDynamic, { initiation: 'MANUAL', bank } as const]) {
      const wanted = { ...asked(target), receiver: stranger };
      expect(await refusal(resolveTarget(directoryThat({ owner, charge }), wanted, asking))).toBe(
        'state receiver.document OWNER_MISMATCH',
      );
    }
  });

  it('must exist', async () => {
    const emptyDirectory = directoryThat({});
    const why = (target: PayoutTarget) => refusal(resolveTarget(emptyDirectory, asked(target), asking));
    expect(await why(byKey)).toBe('badRequest paymentData.pixKey INVALID_VALUE');
    expect(await why(byStatic)).toBe('badRequest paymentData.qrcodeData NOT_PAYABLE');
    expect(await why(byDynamic)).toBe('badRequest paymentData.qrcodeData NOT_PAYABLE');
  });
});

describe('the charge of a dynamic QR code', () => {
  it.each<[string, Charge, string]>([
    ['is expired', { state: 'EXPIRED' }, 'state paymentData.qrcodeData EXPIRED'],
    ['was paid or removed', { state: 'NOT_PAYABLE' }, 'badRequest paymentData.qrcodeData NOT_PAYABLE'],
    ['is of Pix Saque or Troco', { state: 'CASH_OUT' }, 'badRequest paymentData.qrcodeData NOT_PAYABLE'],
    ['is of a smaller amount', { ...charge, amount: centavos(999) }, 'badRequest amount.value INVALID_VALUE'],
    ['is of a larger amount', { ...charge, amount: centavos(1001) }, 'badRequest amount.value INVALID_VALUE'],
  ])('is refused when it %s', async (_name, found, expected) => {
    const wanted = asked(byDynamic);
    expect(await refusal(resolveTarget(directoryThat({ charge: found }), wanted, asking))).toBe(expected);
  });

  it('is paid with the amount of the request when it has none', async () => {
    const { amount: _amount, ...open } = charge;
    await expect(resolveTarget(directoryThat({ charge: open }), asked(byDynamic), asking)).resolves.toBeDefined();
  });
});

describe('a receiver that is an account of the same company', () => {
  const otherAccount = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
  const targets: readonly (readonly [string, PayoutTarget])[] = [
    ['paymentData.pixKey', byKey],
    ['paymentData.qrcodeData', byStatic],
    ['paymentData.qrcodeData', byDynamic],
    ['paymentData.bankAccount', { initiation: 'MANUAL', bank }],
  ];
  const leading = (accountId: string) => {
    const own = { ...owner, accountId };
    return directoryThat({ owner: own, charge: { ...charge, owner: own } });
  };

  it.each(targets)('is found by its id, which the shown receiver does not have, for %s', async (_field, target) => {
    const found = await resolveTarget(leading(otherAccount), { ...asked(target), receiver: receiver }, asking);
    expect(found.internal).toEqual({ accountId: otherAccount });
    expect(found.receiver).not.toHaveProperty('accountId');
  });

  it.each(targets)('is refused when it is the paying account of %s', async (field, target) => {
    const paying = resolveTarget(leading(account), { ...asked(target), receiver: receiver }, asking);
    expect(await refusal(paying)).toBe(`state ${field} INVALID_VALUE`);
  });

  it('is refused when the request names another person than its holder, also by account number', async () => {
    const wanted = { ...asked({ initiation: 'MANUAL', bank }), receiver: stranger };
    expect(await refusal(resolveTarget(leading(otherAccount), wanted, asking))).toBe(
      'state receiver.document OWNER_MISMATCH',
    );
  });
});

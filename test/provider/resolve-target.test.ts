import { describe, expect, it } from 'vitest';
import { centavos } from '../../shared/domain/money.ts';
import type { PayoutTarget } from '../../shared/domain/payout-target.ts';
import type { Refusal } from '../../shared/domain/refusal.ts';
import type { Charge } from '../../shared/provider/bank.ts';
import { resolveTarget } from '../../shared/provider/resolve-target.ts';
import { bankWorld, COMPANY, NOON, RECEIVER } from '../support/bank-world.ts';

const asking = { companyId: COMPANY, at: NOON };
const amount = centavos(1000);
const bank = { ispb: '60701190', account: '12345' };
const owner = { name: 'Maria da Silva', document: RECEIVER.document, bank };
const key = { type: 'EMAIL', key: 'maria@example.com' } as const;
const byKey: PayoutTarget = { initiation: 'KEY', key };
const byStatic: PayoutTarget = { initiation: 'STATIC_QRCODE', key, txid: 'PEDIDO42' };
const byDynamic: PayoutTarget = { initiation: 'DYNAMIC_QRCODE', url: 'pix.example.com/cob/1' };
const charge: Charge = { state: 'OPEN', key, owner, txid: 'a'.repeat(32), amount };
const STRANGER = { name: 'João', document: { type: 'CPF', number: '11144477735' } } as const;

function bankThat(answers: { owner?: typeof owner; charge?: Charge }) {
  const { bank: simulated } = bankWorld();
  return {
    ...simulated,
    resolveKey: () => Promise.resolve(answers.owner),
    resolveCharge: () => Promise.resolve(answers.charge),
  };
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = (await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )) as Refusal;
  return `${error.kind} ${error.details.map(({ field, issue }) => `${field} ${issue}`).join()}`;
}

describe('the receiver of a payout', () => {
  it('by key or QR code is who the bank says, with the key', async () => {
    const found = { name: 'Maria da Silva', document: RECEIVER.document, bank, pix: key };
    const known = bankThat({ owner, charge });
    const resolve = (target: PayoutTarget) => resolveTarget(known, { target, amount, receiver: RECEIVER }, asking);
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

  it('need not be given for a key or a QR code', async () => {
    for (const target of [byKey, byStatic, byDynamic])
      await expect(resolveTarget(bankThat({ owner, charge }), { target, amount }, asking)).resolves.toBeDefined();
  });

  it('by account is who the caller says', async () => {
    const target: PayoutTarget = { initiation: 'MANUAL', bank };
    await expect(resolveTarget(bankThat({}), { target, amount, receiver: RECEIVER }, asking)).resolves.toEqual({
      initiation: 'MANUAL',
      receiver: { ...RECEIVER, bank },
    });
  });

  it('must not be someone else than the owner', async () => {
    for (const target of [byKey, byStatic, byDynamic]) {
      const wanted = { target, amount, receiver: STRANGER };
      expect(await refusal(resolveTarget(bankThat({ owner, charge }), wanted, asking))).toBe(
        'state receiver.document OWNER_MISMATCH',
      );
    }
  });

  it('must exist', async () => {
    const nobody = bankThat({});
    const why = (target: PayoutTarget) => refusal(resolveTarget(nobody, { target, amount }, asking));
    expect(await why(byKey)).toBe('wrong paymentData.pixKey INVALID_VALUE');
    expect(await why(byStatic)).toBe('wrong paymentData.qrcodeData NOT_PAYABLE');
    expect(await why(byDynamic)).toBe('wrong paymentData.qrcodeData NOT_PAYABLE');
  });
});

describe('the charge of a dynamic QR code', () => {
  it.each<[string, Charge, string]>([
    ['is expired', { state: 'EXPIRED' }, 'state paymentData.qrcodeData EXPIRED'],
    ['was paid or withdrawn', { state: 'NOT_PAYABLE' }, 'wrong paymentData.qrcodeData NOT_PAYABLE'],
    ['is of another amount', { ...charge, amount: centavos(999) }, 'wrong amount.value INVALID_VALUE'],
  ])('that %s is not paid', async (_name, found, expected) => {
    const wanted = { target: byDynamic, amount };
    expect(await refusal(resolveTarget(bankThat({ charge: found }), wanted, asking))).toBe(expected);
  });

  it('without an amount is paid with the one that is asked for', async () => {
    const { amount: _amount, ...open } = charge;
    await expect(
      resolveTarget(bankThat({ charge: open }), { target: byDynamic, amount }, asking),
    ).resolves.toBeDefined();
  });
});

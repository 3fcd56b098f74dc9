import { describe, expect, it, vi } from 'vitest';
import { BankUnavailable } from '../../shared/provider/bank.ts';
import type { UncheckedBank } from '../../shared/provider/checked-bank.ts';
import { checkedBank } from '../../shared/provider/checked-bank.ts';
import { COMPANY, NOON } from '../support/bank-world.ts';

const asking = { companyId: COMPANY, at: NOON };
const key = { type: 'CPF', key: '52998224725' } as const;
const owner = {
  name: 'Maria',
  document: { type: 'CPF', number: '52998224725' },
  bank: { ispb: '60701190', account: '12345' },
};
const charge = { state: 'OPEN', key, owner, txid: 'a'.repeat(32), amount: 100 };

function answering(answer: unknown) {
  const give = () => Promise.resolve(answer);
  const bank: UncheckedBank = { resolveKey: give, resolveCharge: give, submit: give, cancel: give };
  return checkedBank(bank);
}

describe('an answer of the bank', () => {
  it('is used when it is what was promised, without anything else it carries', async () => {
    await expect(answering({ ...owner, debt: 'much' }).resolveKey(key, asking)).resolves.toEqual(owner);
    await expect(answering(undefined).resolveKey(key, asking)).resolves.toBeUndefined();
    await expect(answering(charge).resolveCharge('u', asking)).resolves.toEqual(charge);
    await expect(answering({ state: 'EXPIRED' }).resolveCharge('u', asking)).resolves.toEqual({ state: 'EXPIRED' });
    await expect(answering({ canceled: true }).cancel({ endToEndId: 'E' })).resolves.toEqual({ canceled: true });
  });

  it.each<[string, unknown]>([
    ['nothing', null],
    ['a text', 'Maria'],
    ['no document', { name: 'Maria', bank: owner.bank }],
    ['a document of another country', { ...owner, document: { type: 'RUC', number: '1' } }],
    ['a document with a mask', { ...owner, document: { type: 'CPF', number: '529.982.247-25' } }],
    ['an ISPB that is none', { ...owner, bank: { ...owner.bank, ispb: '341' } }],
  ])('is no answer when the owner is %s', async (_name, answer) => {
    await expect(answering(answer).resolveKey(key, asking)).rejects.toThrow(BankUnavailable);
  });

  it.each<[string, unknown]>([
    ['a fraction of a centavo', { ...charge, amount: 100.5 }],
    ['a text', { ...charge, amount: '1.00' }],
    ['nothing', { ...charge, amount: 0 }],
    ['more than PIX can carry', { ...charge, amount: 1e12 }],
  ])('is no answer when the amount of a charge is %s', async (_name, answer) => {
    await expect(answering(answer).resolveCharge('u', asking)).rejects.toThrow(BankUnavailable);
  });

  it('is no answer when it does not come within three seconds', async () => {
    vi.useFakeTimers();
    try {
      const never = answering(new Promise(() => undefined)).resolveKey(key, asking);
      const outcome = expect(never).rejects.toThrow(BankUnavailable);
      await vi.advanceTimersByTimeAsync(3000);
      await outcome;
      await answering(owner).resolveKey(key, asking);
      expect(vi.getTimerCount(), 'a timer of an answered call would keep the process awake').toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is no answer when a submission is neither accepted nor refused, and its values are not repeated', async () => {
    const submit = answering({ accepted: 'Maria Silva' }).submit({} as never);
    await expect(submit).rejects.toThrow(BankUnavailable);
    await expect(submit).rejects.not.toThrow(/Maria/);
  });
});

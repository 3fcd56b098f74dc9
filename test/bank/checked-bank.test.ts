import { describe, expect, it, vi } from 'vitest';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import { checkedCharges } from '#shared/bank/ports/charges.ts';
import { checkedDirectory } from '#shared/bank/ports/directory.ts';
import type { PaymentOrder } from '#shared/bank/ports/payouts.ts';
import { checkedPayouts } from '#shared/bank/ports/payouts.ts';
import { checkedRecurrences } from '#shared/bank/ports/recurrences.ts';
import { checkedRecurringCharges } from '#shared/bank/ports/recurring-charges.ts';
import { checkedRefunds } from '#shared/bank/ports/refunds.ts';
import { companyOne, noon } from '../support/bank-world.ts';

const asking = { companyId: companyOne, connection: undefined, at: noon };
const key = { type: 'CPF', key: '52998224725' } as const;
const question = { key, accountId: '22222222-2222-4222-8222-222222222222' };
const owner = {
  name: 'Maria',
  document: { type: 'CPF', number: '52998224725' },
  bank: { ispb: '60701190', account: '12345' },
};
const charge = { state: 'OPEN', key, owner, txid: 'a'.repeat(32), amount: 100 };
const instruction = { reference: 'R', amount: 100 } as unknown as PaymentOrder;
const returns: never[] = [];
const taken = { outcome: 'DONE', state: { status: 'ACCEPTED', returns } };
const canceled = { outcome: 'DONE', state: { status: 'CANCELED', returns } };
const paid = { status: 'PAID', returns, at: noon, endToEndId: 'E99999004202601151500abcdefghijk' };
const refused = { outcome: 'REFUSED', code: 'AC03', reason: 'No such account.' };

/** A bank that answers every call in the same way. */
function bankThat(call: () => Promise<unknown>) {
  const command = { submit: call, find: call };
  return {
    directory: checkedDirectory({ resolveKey: call, resolveAccount: call, resolveCharge: call }),
    payouts: checkedPayouts({ prepare: call as never, send: command, cancel: command }),
    charges: checkedCharges({ open: command, remove: command }),
    recurrences: checkedRecurrences({ open: command, cancel: command, read: call }),
    refunds: checkedRefunds(command),
    recurringCharges: checkedRecurringCharges({ schedule: command, withdraw: command }),
  };
}
const answering = (response: unknown) => bankThat(() => Promise.resolve(response));

const code = { url: 'u', qrcodeData: '000201' };

describe('the response to a look-up', () => {
  it('is used when it is what was promised, without anything else it carries', async () => {
    const directory = (response: unknown) => answering(response).directory;
    await expect(directory({ ...owner, debt: 'much' }).resolveKey(question, asking)).resolves.toEqual(owner);
    await expect(directory(undefined).resolveKey(question, asking)).resolves.toBeUndefined();
    await expect(directory(owner).resolveAccount(owner.bank, asking)).resolves.toEqual(owner);
    await expect(directory(charge).resolveCharge(code, asking)).resolves.toEqual(charge);
    await expect(directory({ state: 'EXPIRED' }).resolveCharge(code, asking)).resolves.toEqual({ state: 'EXPIRED' });
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'Maria'],
    ['without a document', { name: 'Maria', bank: owner.bank }],
    ['with a document of another country', { ...owner, document: { type: 'RUC', number: '1' } }],
    ['with a document with a mask', { ...owner, document: { type: 'CPF', number: '529.982.247-25' } }],
    ['with an ISPB of three digits', { ...owner, bank: { ...owner.bank, ispb: '341' } }],
  ])('fails as BankUnavailable when the owner of the key is %s', async (_name, response) => {
    await expect(answering(response).directory.resolveKey(question, asking)).rejects.toThrow(BankUnavailable);
  });

  it.each<[string, unknown]>([
    ['a fraction of a centavo', { ...charge, amount: 100.5 }],
    ['a text', { ...charge, amount: '1.00' }],
    ['zero', { ...charge, amount: 0 }],
    ['above the limit of PIX', { ...charge, amount: 1e12 }],
  ])('fails as BankUnavailable when the amount of the charge is %s', async (_name, response) => {
    await expect(answering(response).directory.resolveCharge(code, asking)).rejects.toThrow(BankUnavailable);
  });

  it('fails as BankUnavailable when it does not come within three seconds', async () => {
    vi.useFakeTimers();
    try {
      const never = answering(new Promise(() => undefined)).directory.resolveKey(question, asking);
      const outcome = expect(never).rejects.toThrow(BankUnavailable);
      await vi.advanceTimersByTimeAsync(3000);
      await outcome;
      await answering(owner).directory.resolveKey(question, asking);
      expect(vi.getTimerCount(), 'a timer of a finished call would keep the process awake').toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('does not come back in the error when it is wrong', async () => {
    await expect(answering({ name: 'Maria Silva' }).directory.resolveKey(question, asking)).rejects.not.toThrow(
      /Maria/,
    );
  });
});

describe('the outcome of a command', () => {
  it('is that of the bank when the bank reports DONE, REFUSED, UNKNOWN or NOT_NOW', async () => {
    const notNow = { outcome: 'NOT_NOW', cause: 'Too many requests.' };
    const without = [refused, { outcome: 'REFUSED', reason: 'No.' }, { outcome: 'UNKNOWN' }, notNow];
    const ends = [taken, canceled, { outcome: 'DONE', state: paid }, ...without, { ...notNow, retryAfterSeconds: 7 }];
    for (const end of ends) {
      const { send, cancel } = answering(end).payouts;
      for (const call of [send.submit, send.find, cancel.submit, cancel.find])
        await expect(call(instruction, asking)).resolves.toEqual(end);
    }
  });

  it('is NEVER_SEEN only for a look-up, and UNKNOWN for a submission', async () => {
    const payouts = answering({ outcome: 'NEVER_SEEN' }).payouts;
    await expect(payouts.send.find(instruction, asking)).resolves.toEqual({ outcome: 'NEVER_SEEN' });
    await expect(payouts.send.submit(instruction, asking)).resolves.toEqual({ outcome: 'UNKNOWN' });
  });

  it.each<[string, unknown]>([
    ['empty', undefined],
    ['without an outcome', { end: 'MAYBE' }],
    ['DONE without a state', { outcome: 'DONE' }],
    ['DONE with an unknown status', { outcome: 'DONE', state: { status: 'SETTLED' } }],
    ['PAID with a malformed end-to-end id', { outcome: 'DONE', state: { ...paid, endToEndId: 'E1' } }],
    ['PAID with a malformed time', { outcome: 'DONE', state: { ...paid, at: 'noon' } }],
    ['a refusal without a reason', { outcome: 'REFUSED', code: 'AC03' }],
    ['of another contract', { accepted: true }],
  ])('is UNKNOWN when the response of the bank is %s', async (_name, response) => {
    await expect(answering(response).payouts.send.submit(instruction, asking)).resolves.toEqual({ outcome: 'UNKNOWN' });
  });

  it('is UNKNOWN when the bank cannot be reached or does not respond within three seconds', async () => {
    const down = bankThat(() => Promise.reject(new BankUnavailable('down')));
    await expect(down.payouts.send.submit(instruction, asking)).resolves.toEqual({ outcome: 'UNKNOWN' });
    vi.useFakeTimers();
    try {
      const silent = answering(new Promise(() => undefined)).payouts.send.submit(instruction, asking);
      await vi.advanceTimersByTimeAsync(3000);
      await expect(silent).resolves.toEqual({ outcome: 'UNKNOWN' });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('the response that creates a charge or a recurrence', () => {
  const opened = { txid: 'a'.repeat(26), location: 'pix.bank.example/c/1', status: 'ACTIVE', payments: [] };
  const recurrence = { recurrenceId: 'RN1234567820240115abcdefghijk', location: 'pix.bank.example/rec/1', history: [] };
  const done = (facts: unknown) => answering({ outcome: 'DONE', state: facts });
  const order = {} as never;

  it('has its own ids within the bounds of the BCB’s Pix API', async () => {
    for (const facts of [opened, { ...opened, txid: 'Z9'.repeat(17) + 'x', qrcode: '000201' + 'x'.repeat(506) }])
      expect(await done(facts).charges.open.submit(order, asking)).toEqual({ outcome: 'DONE', state: facts });
    expect(await done(recurrence).recurrences.open.submit(order, asking)).toEqual({
      outcome: 'DONE',
      state: recurrence,
    });
  });

  it.each<[string, object]>([
    ['a txid of 25 characters', { ...opened, txid: 'a'.repeat(25) }],
    ['a txid of 36 characters', { ...opened, txid: 'a'.repeat(36) }],
    ['a txid with a hyphen', { ...opened, txid: 'a'.repeat(26) + '-' }],
    ['a location with a scheme', { ...opened, location: 'https://pix.bank.example/c/1' }],
    ['a location of 78 characters', { ...opened, location: `pix.bank.example/${'x'.repeat(61)}` }],
    ['a QR code of 513 characters', { ...opened, qrcode: '000201' + 'x'.repeat(507) }],
    ['an unknown status', { ...opened, status: 'OPEN' }],
  ])('is UNKNOWN when the charge has %s', async (_name, facts) => {
    expect(await done(facts).charges.open.submit(order, asking)).toEqual({ outcome: 'UNKNOWN' });
    expect(await done(facts).charges.open.find(order, asking)).toEqual({ outcome: 'UNKNOWN' });
  });

  it.each<[string, object]>([
    ['an id of 28 characters', { ...recurrence, recurrenceId: recurrence.recurrenceId.slice(1) }],
    ['an id of another kind', { ...recurrence, recurrenceId: `C${recurrence.recurrenceId.slice(1)}` }],
    ['a location without /rec/', { ...recurrence, location: 'pix.bank.example/cob/1' }],
  ])('is UNKNOWN when the recurrence has %s', async (_name, facts) => {
    expect(await done(facts).recurrences.open.submit(order, asking)).toEqual({ outcome: 'UNKNOWN' });
  });

  it('is UNKNOWN, for every command, when the bank is out of reach', async () => {
    const { charges, recurrences, refunds, recurringCharges } = bankThat(() =>
      Promise.reject(new BankUnavailable('Gone.')),
    );
    const ends = await Promise.all([
      charges.remove.submit(order, asking),
      recurrences.cancel.submit(order, asking),
      recurrences.cancel.find(order, asking),
      recurrences.read(order, asking),
      refunds.submit(order, asking),
      refunds.find(order, asking),
      recurringCharges.schedule.submit(order, asking),
      recurringCharges.withdraw.find(order, asking),
    ]);
    expect(new Set(ends.map(({ outcome }) => outcome))).toEqual(new Set(['UNKNOWN']));
  });
});

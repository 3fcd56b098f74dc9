import { describe, expect, it, vi } from 'vitest';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import { checkedCharges } from '#shared/bank/ports/charges.ts';
import { checkedDirectory } from '#shared/bank/ports/directory.ts';
import type { Instruction } from '#shared/bank/ports/payouts.ts';
import { checkedPayouts } from '#shared/bank/ports/payouts.ts';
import { checkedRecurrences } from '#shared/bank/ports/recurrences.ts';
import { checkedRefunds } from '#shared/bank/ports/refunds.ts';
import { companyOne, noon } from '../support/bank-world.ts';

const asking = { companyId: companyOne, at: noon };
const key = { type: 'CPF', key: '52998224725' } as const;
const owner = {
  name: 'Maria',
  document: { type: 'CPF', number: '52998224725' },
  bank: { ispb: '60701190', account: '12345' },
};
const charge = { state: 'OPEN', key, owner, txid: 'a'.repeat(32), amount: 100 };
const instruction = { reference: 'R', amount: 100 } as unknown as Instruction;
const taken = { outcome: 'DONE', result: { outcome: 'ACCEPTED' } };
const canceled = { outcome: 'DONE', result: { outcome: 'CANCELED' } };
const paid = { outcome: 'PAID', at: noon, endToEndId: 'E99999004202601151500abcdefghijk' };
const refused = { outcome: 'REFUSED', code: 'AC03', reason: 'No such account.' };

/** A bank that answers every call in the same way. */
function bankThat(submit: () => Promise<unknown>) {
  return {
    directory: checkedDirectory({ resolveKey: submit, resolveAccount: submit, resolveCharge: submit }),
    payouts: checkedPayouts({ send: submit, find: submit, cancel: submit }),
    charges: checkedCharges({ open: submit, find: submit, remove: submit }),
    recurrences: checkedRecurrences({ open: submit, find: submit, cancel: submit, findCancellation: submit }),
    refunds: checkedRefunds({ request: submit, find: submit }),
  };
}
const answering = (answer: unknown) => bankThat(() => Promise.resolve(answer));

describe('the answer to a question', () => {
  it('is used when it is what was promised, without anything else it carries', async () => {
    const directory = (answer: unknown) => answering(answer).directory;
    await expect(directory({ ...owner, debt: 'much' }).resolveKey(key, asking)).resolves.toEqual(owner);
    await expect(directory(undefined).resolveKey(key, asking)).resolves.toBeUndefined();
    await expect(directory(owner).resolveAccount(owner.bank, asking)).resolves.toEqual(owner);
    await expect(directory(charge).resolveCharge('u', asking)).resolves.toEqual(charge);
    await expect(directory({ state: 'EXPIRED' }).resolveCharge('u', asking)).resolves.toEqual({ state: 'EXPIRED' });
  });

  it.each<[string, unknown]>([
    ['nothing', null],
    ['a text', 'Maria'],
    ['no document', { name: 'Maria', bank: owner.bank }],
    ['a document of another country', { ...owner, document: { type: 'RUC', number: '1' } }],
    ['a document with a mask', { ...owner, document: { type: 'CPF', number: '529.982.247-25' } }],
    ['an ISPB that is none', { ...owner, bank: { ...owner.bank, ispb: '341' } }],
  ])('is none when the owner is %s', async (_name, answer) => {
    await expect(answering(answer).directory.resolveKey(key, asking)).rejects.toThrow(BankUnavailable);
  });

  it.each<[string, unknown]>([
    ['a fraction of a centavo', { ...charge, amount: 100.5 }],
    ['a text', { ...charge, amount: '1.00' }],
    ['nothing', { ...charge, amount: 0 }],
    ['more than PIX can carry', { ...charge, amount: 1e12 }],
  ])('is none when the amount of a charge is %s', async (_name, answer) => {
    await expect(answering(answer).directory.resolveCharge('u', asking)).rejects.toThrow(BankUnavailable);
  });

  it('is none when it does not come within three seconds', async () => {
    vi.useFakeTimers();
    try {
      const never = answering(new Promise(() => undefined)).directory.resolveKey(key, asking);
      const outcome = expect(never).rejects.toThrow(BankUnavailable);
      await vi.advanceTimersByTimeAsync(3000);
      await outcome;
      await answering(owner).directory.resolveKey(key, asking);
      expect(vi.getTimerCount(), 'a timer of an answered call would keep the process awake').toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('does not come back in the error when it is wrong', async () => {
    await expect(answering({ name: 'Maria Silva' }).directory.resolveKey(key, asking)).rejects.not.toThrow(/Maria/);
  });
});

describe('the end of a command', () => {
  it('is what the bank says when it is one of the three', async () => {
    const without = [refused, { outcome: 'REFUSED', reason: 'No.' }, { outcome: 'UNKNOWN' }];
    for (const end of [taken, canceled, { outcome: 'DONE', result: paid }, ...without]) {
      await expect(answering(end).payouts.send(instruction)).resolves.toEqual(end);
      await expect(answering(end).payouts.find('R')).resolves.toEqual(end);
    }
    for (const end of [canceled, ...without]) await expect(answering(end).payouts.cancel('R')).resolves.toEqual(end);
  });

  it('can be that the bank never saw it only when it is asked for', async () => {
    const payouts = answering({ outcome: 'NEVER_SEEN' }).payouts;
    await expect(payouts.find('R')).resolves.toEqual({ outcome: 'NEVER_SEEN' });
    await expect(payouts.send(instruction)).resolves.toEqual({ outcome: 'UNKNOWN' });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['another end', { end: 'MAYBE' }],
    ['done without facts', { outcome: 'DONE' }],
    ['an outcome that there is not', { outcome: 'DONE', result: { outcome: 'SETTLED' } }],
    ['paid without a number', { outcome: 'DONE', result: { outcome: 'PAID', at: noon } }],
    ['paid at no time', { outcome: 'DONE', result: { ...paid, at: 'noon' } }],
    ['a refusal without a reason', { outcome: 'REFUSED', code: 'AC03' }],
    ['the end of a former contract', { accepted: true }],
  ])('is unknown when the answer is %s: it may have been carried out', async (_name, answer) => {
    await expect(answering(answer).payouts.send(instruction)).resolves.toEqual({ outcome: 'UNKNOWN' });
  });

  it('is unknown when the bank cannot be reached or does not answer within three seconds', async () => {
    const down = bankThat(() => Promise.reject(new BankUnavailable('down')));
    await expect(down.payouts.send(instruction)).resolves.toEqual({ outcome: 'UNKNOWN' });
    vi.useFakeTimers();
    try {
      const silent = answering(new Promise(() => undefined)).payouts.send(instruction);
      await vi.advanceTimersByTimeAsync(3000);
      await expect(silent).resolves.toEqual({ outcome: 'UNKNOWN' });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('what a bank opens', () => {
  const opened = { txid: 'a'.repeat(26), location: 'pix.bank.example/c/1', state: 'ACTIVE' };
  const recurrence = { recurrenceId: 'RN1234567820240115abcdefghijk', location: 'pix.bank.example/rec/1' };
  const done = (facts: unknown) => answering({ outcome: 'DONE', result: facts });
  const order = {} as never;

  it('has its own ids within the bounds of the BCB’s Pix API', async () => {
    for (const facts of [opened, { ...opened, txid: 'Z9'.repeat(17) + 'x', qrcode: '000201' + 'x'.repeat(506) }])
      expect(await done(facts).charges.open(order, asking)).toEqual({ outcome: 'DONE', result: facts });
    expect(await done(recurrence).recurrences.open(order, asking)).toEqual({ outcome: 'DONE', result: recurrence });
  });

  it.each<[string, object]>([
    ['a txid of 25', { ...opened, txid: 'a'.repeat(25) }],
    ['a txid of 36', { ...opened, txid: 'a'.repeat(36) }],
    ['a txid with a hyphen', { ...opened, txid: 'a'.repeat(26) + '-' }],
    ['an address with a scheme', { ...opened, location: 'https://pix.bank.example/c/1' }],
    ['an address of 78', { ...opened, location: `pix.bank.example/${'x'.repeat(61)}` }],
    ['a code of 513', { ...opened, qrcode: '000201' + 'x'.repeat(507) }],
    ['a state of another list', { ...opened, state: 'OPEN' }],
  ])('is unknown when a charge has %s', async (_name, facts) => {
    expect(await done(facts).charges.open(order, asking)).toEqual({ outcome: 'UNKNOWN' });
    expect(await done(facts).charges.find('r', asking)).toEqual({ outcome: 'UNKNOWN' });
  });

  it.each<[string, object]>([
    ['an id of 28', { ...recurrence, recurrenceId: recurrence.recurrenceId.slice(1) }],
    ['an id of another kind', { ...recurrence, recurrenceId: `C${recurrence.recurrenceId.slice(1)}` }],
    ['an address without its segment', { ...recurrence, location: 'pix.bank.example/cob/1' }],
  ])('is unknown when a recurrence has %s', async (_name, facts) => {
    expect(await done(facts).recurrences.open(order, asking)).toEqual({ outcome: 'UNKNOWN' });
  });

  it('is unknown of every command that throws as a bank out of reach does', async () => {
    const { charges, recurrences, refunds } = bankThat(() => Promise.reject(new BankUnavailable('Gone.')));
    const ends = await Promise.all([
      charges.remove('r', asking),
      recurrences.cancel(order, asking),
      recurrences.findCancellation('r', asking),
      refunds.request(order, asking),
      refunds.find('r', asking),
    ]);
    expect(new Set(ends.map(({ outcome }) => outcome))).toEqual(new Set(['UNKNOWN']));
  });
});

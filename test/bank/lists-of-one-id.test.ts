import { describe, expect, test } from 'vitest';
import { bankReader } from '#shared/bank/dialects/efi/reader.ts';
import { cobr, otherId, otherNumber, otherRec, pix, rec, sent } from './answered-things.ts';
import { at, e2e } from './bank-orders.ts';
import { useScriptedBank } from './use-scripted-bank.ts';

const used = useScriptedBank();
const readErrorMessages = () => used.errors.map(({ message }) => message);
const answering = async (body: unknown) => {
  used.server.answers(() => ({ status: 200, body }));
  return used.server.process()();
};

describe('a list', () => {
  const page = (member: string, items: readonly object[]) => ({
    ...{ [member]: items, parametros: { paginacao: { quantidadeDePaginas: 1 } } },
  });
  const lists = [
    ['received', 'pix', pix, { ...pix, valor: '25.01' }, { ...pix, endToEndId: otherNumber }, 'listReceived'],
    ['sent', 'pix', sent, { ...sent, valor: '10.01' }, { ...sent, idEnvio: otherId }, 'listSent'],
    [
      'recurrences',
      'recs',
      rec,
      { ...rec, vinculo: { contrato: 'x' } },
      { ...rec, idRec: otherRec },
      'listRecurrences',
    ],
    [
      'recurring charges',
      'cobsr',
      cobr,
      { ...cobr, idRec: otherRec },
      { ...cobr, txid: otherId },
      'listRecurringCharges',
    ],
  ] as const;
  test.each(lists)(
    '(%s) leaves out an id, and reports it as unreadable, when its entries contradict each other',
    async (_what, member, one, contrary, other, listMethod) => {
      const bank = await answering(page(member, [one, other, contrary, one]));
      const { items, unreadable } = await bankReader(bank.client, () => at)[listMethod](at, at, 0);
      expect([items.length, unreadable]).toEqual([1, 3]);
      expect(new Set(readErrorMessages())).toEqual(new Set(['Bank response named another resource than the request']));
    },
  );

  test.each(lists)(
    '(%s) is readable when it repeats an id with the same content',
    async (_what, member, one, _contrary, other, listMethod) => {
      const bank = await answering(page(member, [one, other, one]));
      expect(await bankReader(bank.client, () => at)[listMethod](at, at, 0)).toMatchObject({ unreadable: 0 });
      expect(readErrorMessages()).toEqual([]);
    },
  );

  test('(sent) keeps several Pix without an idEnvio apart, by their end-to-end ids', async () => {
    const unknownPayments = [e2e, otherNumber].map((endToEndId) => ({ ...sent, idEnvio: undefined, endToEndId }));
    const bank = await answering(page('pix', [{ ...unknownPayments[0], valor: '20.00' }, unknownPayments[1]!, sent]));
    const { items, unreadable } = await bankReader(bank.client, () => at).listSent(at, at, 0);
    expect([items.map(({ amount }) => amount), unreadable]).toEqual([[2000, 1000, 1000], 0]);
    expect(readErrorMessages()).toEqual([]);
  });
});

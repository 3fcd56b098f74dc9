import { describe, expect, test } from 'vitest';
import type { Connected } from '#shared/bank/connected.ts';
import { useScriptedBank } from './use-scripted-bank.ts';
import { cob, otherId, otherRec, rec } from './answered-things.ts';
import { askings, charge, charges, recurrence, recurrences, withValue } from './askings.ts';
import { at, context, reference } from './bank-orders.ts';

/** What an answer may leave out: its shape needs the rest. */
const optional =
  /^(?:idEnvio|endToEndId|id|chave|politicaRetentativa|valor\.\w+|calendario\.\w+|vinculo\..*|loc\.id|pix\..*)$/u;

const cells = Object.entries(askings).flatMap(([name, asking]) =>
  Object.entries(asking.others).map(([path, other]) => ({ name, path, other, ...asking })),
);

const used = useScriptedBank();
const readErrorMessages = () => used.errors.map(({ message }) => message);
const answering = async (body: unknown): Promise<Connected> => {
  used.server.answers(() => ({ status: 200, body }));
  return used.server.process()();
};

describe('a response of the bank', () => {
  test.each(Object.entries(askings))('is accepted when it is about the requested order (%s)', async (_name, asking) => {
    expect(await asking.ask(await answering(asking.body))).toMatchObject({ outcome: 'DONE' });
    expect(readErrorMessages()).toEqual([]);
  });

  test.each(cells)(
    'is UNKNOWN, and reported, when it has another $path ($name)',
    async ({ path, other, body, ask }) => {
      expect((await ask(await answering(withValue(body, path, other)))).outcome).toBe('UNKNOWN');
      expect(readErrorMessages()).toEqual(['Bank response named another resource than the request']);
      expect(JSON.stringify(used.errors)).not.toContain(`"${String(other)}"`);
    },
  );

  test.each(cells.filter(({ path, name }) => optional.test(path) && name !== 'received Pix of the reader'))(
    'is accepted when it has no $path ($name)',
    async ({ path, body, ask }) => {
      expect(await ask(await answering(withValue(body, path, undefined)))).toMatchObject({ outcome: 'DONE' });
      expect(readErrorMessages()).toEqual([]);
    },
  );

  test.each(cells.filter(({ path }) => ['idEnvio', 'txid', 'id'].includes(path)))(
    'is accepted when it has our $path in capitals ($name)',
    async ({ path, body, ask }) => {
      const capitals = withValue(body, path, reference.toUpperCase());
      expect(await ask(await answering(capitals))).toMatchObject({ outcome: 'DONE' });
    },
  );

  test.each(cells.filter(({ path }) => path === 'endToEndId'))(
    'is UNKNOWN when its end-to-end id differs from ours in case only ($name)',
    async ({ path, body, ask }) => {
      const own = (body as { endToEndId: string }).endToEndId;
      const similar = own.slice(0, -1) + own.slice(-1).toUpperCase();
      expect(similar).not.toBe(own);
      expect((await ask(await answering(withValue(body, path, similar)))).outcome).toBe('UNKNOWN');
    },
  );

  test('is accepted when it has the PIX key in the form of the DICT (open charge)', async () => {
    const bank = await answering({ ...cob, chave: 'CAIXA@EMPRESA.example' });
    expect(await charges(bank).open.submit(charge, context)).toMatchObject({ outcome: 'DONE' });
  });
});

test('the id of a recurrence is not kept when the bank answers about another recurrence', async () => {
  const bank = await answering({ id: 9, location: 'pix.efi.example/qr/v2/rec/9' });
  const order = { ...recurrence, reference: otherId };
  used.server.answers(({ path }) => ({ status: 200, body: path === '/v2/locrec' ? { id: 9, location: 'x' } : rec }));
  expect(await recurrences(bank).open.submit(order, context)).toEqual({ outcome: 'UNKNOWN' });
  expect(await bank.recurrences.read(otherId)).toMatchObject({ id: 9 });
  expect(await bank.recurrences.read(otherId)).not.toHaveProperty('idRec');
});

test('a look-up of a recurrence is UNKNOWN when the bank answers about another location', async () => {
  const bank = await answering({ id: 8, location: 'x', idRec: otherRec });
  await bank.recurrences.keep('e'.repeat(32), { id: 7, createdAt: at });
  const order = { ...recurrence, reference: 'e'.repeat(32) };
  expect(await recurrences(bank).open.find(order, context)).toEqual({ outcome: 'UNKNOWN' });
});

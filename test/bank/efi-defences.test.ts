import { describe, expect, it, test } from 'vitest';
import { submitOnce } from '#shared/bank/bank.ts';
import { efiDefences } from '#shared/bank/dialects/efi/defences.ts';
import type { DefenceOrder } from '#shared/bank/ports/defences.ts';
import { checkedDefences } from '#shared/bank/ports/defences.ts';
import { context, e2e, first, reference, repeated } from './bank-orders.ts';
import type { Script } from './scripted-bank.ts';
import { useConnectedBank } from './use-scripted-bank.ts';

const used = useConnectedBank();

const id = '00000000-0000-0000-0000-000000000001';
const criadoEm = '2026-01-15T10:00:00.000Z';
const text = 'It was delivered.';
const order: DefenceOrder = { reference, claimId: id, claimedAt: criadoEm, text, documents: [] };
const defences = () => checkedDefences(efiDefences(used.connected));
const submit = (more: Partial<DefenceOrder> = {}) => submitOnce(defences(), { ...order, ...more }, context, first);
const again = (more: Partial<DefenceOrder> = {}) => submitOnce(defences(), { ...order, ...more }, context, repeated);

/** What the list of claims shows of the claim. */
const shown = (more: object = {}) => ({
  ...{ idInfracao: id, endToEndId: e2e, valor: '100', status: 'ABERTA', razao: 'FRAUDE', criadoEm, ...more },
  dadosAnalise: {
    prazoFinalizacao: '2026-01-22T10:00:00.000Z',
    ...('dadosAnalise' in more ? (more.dadosAnalise as object) : {}),
  },
});
const listOf = (...infracoes: readonly object[]) => ({
  status: 200,
  body: { parametros: { paginacao: { quantidadeDePaginas: 1 } }, infracoes },
});
const answering = (posted: ReturnType<Script>, list: ReturnType<Script>): void => {
  used.server.answers(({ method }) => (method === 'POST' ? posted : list));
};
const posts = () => used.server.asked.filter(({ method }) => method === 'POST');
const confirmed = { status: 201, body: 'Defesa de infração MED criada' } as const;
const problem = (status: number, nome: string, mensagem: string) => ({ status, body: { nome, mensagem } });

describe('the request of a defence to Efí', () => {
  it('a defence contests the claim with its text', async () => {
    answering(confirmed, listOf(shown({ status: 'EM_DEFESA', defesa: text })));
    expect(await submit()).toEqual({ outcome: 'DONE', state: { status: 'SENT' } });
    expect(posts()).toMatchObject([
      { path: `/v2/gn/infracoes/${id}/defesa`, body: { analise: 'rejeitado', justificativa: text } },
    ]);
    expect(posts()[0]?.body).toEqual({ analise: 'rejeitado', justificativa: text });
  });

  it('a defence has the addresses of documents after its text', async () => {
    answering(confirmed, listOf(shown({ status: 'EM_DEFESA' })));
    const documents = ['https://partner.example/1.pdf', 'https://partner.example/2.pdf'];
    await submit({ documents });
    const { justificativa } = posts()[0]?.body as { readonly justificativa: string };
    expect(justificativa.startsWith(text)).toBe(true);
    for (const address of documents) expect(justificativa.split('\n')).toContain(address);
  });

  it('a defence asks the list for the moment in which the claim was created', async () => {
    answering(confirmed, listOf(shown({ status: 'EM_DEFESA' })));
    await submit();
    const list = used.server.asked.find(({ method }) => method === 'GET')!;
    const { pathname, searchParams } = new URL(list.path, 'https://bank.example');
    expect(pathname).toBe('/v2/gn/infracoes');
    const [from, to] = [searchParams.get('inicio') ?? '', searchParams.get('fim') ?? ''];
    expect(from < criadoEm && criadoEm < to).toBe(true);
  });
});

describe('the answer of Efí to a defence', () => {
  test.each<[string, ReturnType<Script>]>([
    ['a sentence that is no JSON', confirmed],
    ['a 409, since it was made before', problem(409, 'defesa_existente', 'Defesa de infração já foi criada.')],
    ['a 500', { status: 500 }],
    ['a 502 of a gateway', { status: 502, body: '<html>' }],
    ['nothing, after the connection broke', 'DROP'],
  ])('%s is followed by a look-up, which decides', async (_what, posted) => {
    answering(posted, listOf(shown({ status: 'EM_DEFESA', defesa: text })));
    expect(await submit()).toEqual({ outcome: 'DONE', state: { status: 'SENT' } });
    answering(posted, listOf(shown({ status: 'EM_DEFESA', defesa: 'Another one.' })));
    expect(await submit()).toMatchObject({ outcome: 'REFUSED' });
    answering(posted, listOf(shown()));
    expect(await submit()).toMatchObject({ outcome: 'UNKNOWN' });
    answering(posted, listOf());
    expect(await submit()).toMatchObject({ outcome: 'UNKNOWN' });
    answering(posted, { status: 500 });
    await expect(submit()).resolves.toMatchObject({ outcome: 'UNKNOWN' });
    expect(posts()).toHaveLength(5);
  });

  test.each<[string, ReturnType<Script>]>([
    ['422 after its time', problem(422, 'prazo_excedido', 'O prazo para defesa foi excedido.')],
    ['404 for an unknown claim', problem(404, 'infracao_nao_encontrada', 'Infração não encontrada.')],
    ['400', problem(400, 'json_invalido', 'O campo justificativa é inválido.')],
  ])('%s refuses the defence, with the message of Efí', async (_what, posted) => {
    answering(posted, listOf(shown()));
    const { mensagem } = (posted as { body: { mensagem: string } }).body;
    expect(await submit()).toMatchObject({ outcome: 'REFUSED', reason: mensagem });
  });

  it('a refusal does not count when the list shows the defence', async () => {
    answering(
      problem(422, 'invalida', 'A infração não pode receber defesa.'),
      listOf(shown({ status: 'EM_DEFESA', defesa: text })),
    );
    expect(await submit()).toEqual({ outcome: 'DONE', state: { status: 'SENT' } });
  });

  it('an answer that does not come in time leaves the defence UNKNOWN', async () => {
    answering('HANG', listOf(shown()));
    const signal = AbortSignal.timeout(200);
    expect(await efiDefences(used.connected).submit(order, { ...context, signal })).toMatchObject({
      outcome: 'UNKNOWN',
    });
    expect(posts()).toHaveLength(1);
  });

  test.each([401, 403, 429])('a defence is NOT_NOW after %i, which carries none out', async (status) => {
    answering({ status, body: {} }, listOf(shown()));
    expect(await submit()).toMatchObject({ outcome: 'NOT_NOW' });
  });
});

describe('a look-up of a defence', () => {
  const found = async (list: ReturnType<Script>, more: Partial<DefenceOrder> = {}) => {
    answering({ status: 500 }, list);
    return defences().find({ ...order, ...more }, context);
  };
  const done = { outcome: 'DONE', state: { status: 'SENT' } };

  it('a look-up finds no defence while the claim waits for one, and the repetition submits it', async () => {
    expect(await found(listOf(shown()))).toEqual({ outcome: 'NEVER_SEEN' });
    answering(confirmed, listOf(shown()));
    await again();
    expect(posts()).toHaveLength(1);
  });

  it('a look-up comes before a repetition, which submits no defence that the bank has', async () => {
    answering(confirmed, listOf(shown({ status: 'EM_DEFESA', defesa: text })));
    expect(await again()).toEqual(done);
    expect(posts()).toEqual([]);
  });

  it.each(['EM_DEFESA', 'ACEITA', 'REJEITADA', 'CANCELADA_EFI'])(
    'a look-up finds the defence by its text or its time when the claim is %s',
    async (status) => {
      expect(await found(listOf(shown({ status, defesa: text })))).toEqual(done);
      expect(await found(listOf(shown({ status, dadosAnalise: { recebimentoDefesa: criadoEm } })))).toEqual(done);
    },
  );

  it.each(['ACEITA', 'REJEITADA', 'CANCELADA_EFI'])(
    'the defence is REFUSED when the claim is %s without one',
    async (status) => {
      expect(await found(listOf(shown({ status })))).toMatchObject({ outcome: 'REFUSED' });
    },
  );

  it('the defence is REFUSED when the bank has another text', async () => {
    expect(await found(listOf(shown({ status: 'EM_DEFESA', defesa: 'Made in the app.' })))).toMatchObject({
      outcome: 'REFUSED',
    });
  });

  it('the defence is UNKNOWN when the list has not the claim, has no such page, or shows an unknown status', async () => {
    expect(await found(listOf(shown({ idInfracao: 'another' })))).toEqual({ outcome: 'UNKNOWN' });
    expect(await found(listOf(shown({ status: 'EM_ANALISE' })))).toEqual({ outcome: 'UNKNOWN' });
    expect(await found({ status: 500 })).toMatchObject({ outcome: 'UNKNOWN' });
    expect(await found({ status: 403, body: {} })).toMatchObject({ outcome: 'UNKNOWN' });
  });

  it('a look-up reads on until the page that has the claim', async () => {
    used.server.answers(({ path }) => {
      const page = new URL(path, 'https://bank.example').searchParams.get('paginacao.paginaAtual');
      const infracoes =
        page === '2' ? [shown({ status: 'EM_DEFESA', defesa: text })] : [shown({ idInfracao: `x${page}` })];
      return { status: 200, body: { parametros: { paginacao: { quantidadeDePaginas: 3 } }, infracoes } };
    });
    expect(await defences().find(order, context)).toEqual(done);
  });

  test.each([
    ['lines and blanks', 'One.\r\n\r\nTwo.\t Three. '],
    ['a blank that does not break', 'R$\u00A0100,00 was the price.'],
    // These two are visible to the contract of the endpoint, and of the Unicode categories Co and Cn.
    ['a sign of a font', 'Delivered: an iPhone by \uF8FF Store.'],
    ['an emoji that is newer than this program', 'Delivered \u{1FAFF}\u0378.'],
    ['accents', 'Entrega às 15h, sem atraso: não há fraude.'],
  ])('a look-up finds a text with %s, as it was sent and on one line', async (_what, given) => {
    expect(await found(listOf(shown({ status: 'EM_DEFESA', defesa: given })), { text: given })).toEqual(done);
    const oneLine = given.replaceAll(/\s+/gu, ' ').trim();
    expect(await found(listOf(shown({ status: 'EM_DEFESA', defesa: oneLine })), { text: given })).toEqual(done);
  });

  it('a look-up finds a claim that the list selects by the time of its payment, weeks before', async () => {
    const paidAt = '2025-11-20T10:00:00.000Z';
    used.server.answers(({ path }) => {
      const { searchParams } = new URL(path, 'https://bank.example');
      const isListed = (searchParams.get('inicio') ?? '') <= paidAt && paidAt <= (searchParams.get('fim') ?? '');
      return isListed ? listOf(shown({ status: 'EM_DEFESA', defesa: text })) : listOf();
    });
    expect(await again()).toEqual(done);
    expect(posts()).toEqual([]);
  });

  it('a look-up finds a text with documents, also when the bank cut it', async () => {
    answering(confirmed, listOf(shown({ status: 'EM_DEFESA' })));
    const documents = ['https://partner.example/1.pdf'];
    await submit({ documents });
    const { justificativa } = posts()[0]?.body as { readonly justificativa: string };
    expect(await found(listOf(shown({ status: 'EM_DEFESA', defesa: justificativa })), { documents })).toEqual(done);
    const long = 'It was delivered. '.repeat(20);
    const cutAfter = async (length: number) =>
      found(listOf(shown({ status: 'EM_DEFESA', defesa: long.slice(0, length) })), { text: long });
    expect(await cutAfter(140)).toEqual(done);
    expect(await cutAfter(30)).toMatchObject({ outcome: 'REFUSED' });
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, control, membersOf, openLocalBank, window } from '#test/support/api-pix/client.ts';

let open: Awaited<ReturnType<typeof openLocalBank>>;
beforeAll(async () => {
  open = await openLocalBank();
});
afterAll(() => open[Symbol.asyncDispose]());

const path = '/v2/gn/infracoes';
const defence = { analise: 'rejeitado', justificativa: 'O cliente recebeu o produto.' };
const defend = (idInfracao: string, body: object = defence) => open.api('POST', `${path}/${idInfracao}/defesa`, body);
const balance = async () => Number((await open.api('GET', '/v2/gn/saldo')).body.saldo);
const codeOf = ({ body }: { body: { type?: string } }) => body.type?.split('/').at(-1);
const faultyMember = ({ body }: { body: { violacoes?: unknown } }) => membersOf(body.violacoes, 'propriedade')[0];
type Claim = {
  readonly idInfracao: string;
  readonly endToEndId: string;
  readonly criadoEm: string;
  readonly valor: string;
  readonly dadosAnalise: { readonly prazoFinalizacao: string };
};
/** Opens a claim about a new payment, or about that of the body. */
const claim = async (
  body: { endToEndId?: string; [term: string]: string | number | undefined } = {},
  { bank } = open,
) => {
  const endToEndId = body.endToEndId ?? (await pay(bank));
  return (await control(bank, 'claim', { ...body, endToEndId })) as Claim;
};
const pay = async (bank = open.bank): Promise<string> =>
  membersOf(await control(bank, 'pay', { valor: '10.00' }), 'endToEndId')[0]!;
const find = async (id: string) => {
  const { body } = await open.api('GET', `${path}?${window}`);
  return (body.infracoes as Record<string, unknown>[]).find(({ idInfracao }) => idInfracao === id);
};

test('the list of claims shows those that were opened in its window, in pages, when the client has the scope', async () => {
  await using other = await openLocalBank();
  const ids: string[] = [];
  const opened: string[] = [];
  for (const comentario of ['um', 'dois', 'três']) {
    const infracao = await claim({ comentario, tipoSituacao: 'golpe' }, other);
    ids.push(infracao.idInfracao);
    opened.push(infracao.criadoEm);
    await control(other.bank, 'clock', { advanceSeconds: 60 });
  }
  const { body } = await other.api('GET', `${path}?${window}`);
  expect(membersOf(body.infracoes, 'idInfracao')).toEqual(ids);
  expect(body.infracoes[0]).toEqual({
    idInfracao: ids[0],
    endToEndId: expect.stringMatching(/^E60746948/u) as string,
    protocolo: '1',
    dataTransacao: expect.any(String) as string,
    valor: '10.00',
    chave: other.chave,
    status: 'ABERTA',
    razao: 'Solicitacao de devolução',
    tipoSituacao: 'golpe',
    comentario: 'um',
    identificadorTicket: [1],
    dadosAnalise: { abertura: opened[0], prazoFinalizacao: expect.stringMatching(/^2030-01-22T15:00/u) as string },
    origem: {
      nomeParticipante: 'BANCO 60746948',
      conta: '12345678',
      nome: 'Maria Souza',
      documento: '***.982.247-**',
    },
    destino: {
      nomeParticipante: 'BANCO LOCAL S.A.',
      conta: other.bank.client.accounts[0]!.conta,
      nome: 'Empresa Local Ltda',
      documento: '11222333000181',
    },
    criadoEm: opened[0],
    atualizadoEm: opened[0],
  });
  const page = await other.api('GET', `${path}?${window}&paginacao.paginaAtual=1&paginacao.itensPorPagina=2`);
  expect(membersOf(page.body.infracoes, 'idInfracao')).toEqual(ids.slice(2));
  expect(page.body.parametros.paginacao).toEqual({
    paginaAtual: 1,
    itensPorPagina: 2,
    quantidadeDePaginas: 2,
    quantidadeTotalDeItens: 3,
  });
  const narrow = new URLSearchParams({ inicio: opened[1]!, fim: opened[1]! }).toString();
  expect(membersOf((await other.api('GET', `${path}?${narrow}`)).body.infracoes, 'idInfracao')).toEqual([ids[1]]);

  const wrong = await other.api('GET', `${path}?inicio=yesterday&fim=2030-01-01T00:00:00Z`);
  expect([wrong.status, codeOf(wrong), wrong.body.title]).toEqual([
    400,
    'InfracoesConsultaInvalida',
    'Consulta Inválida',
  ]);
  expect(faultyMember(wrong)).toBe('infracoes.query.inicio');
  const client = await control(other.bank, 'clients', { scopes: ['cob.read', 'gn.infractions.read'] });
  const limited = await connect({ ...other.bank, client });
  expect((await limited('GET', `${path}?${window}`)).body.infracoes).toEqual([]);
  const refused = await limited('POST', `${path}/${ids[0]}/defesa`, defence);
  expect([refused.status, codeOf(refused)]).toEqual([403, 'AcessoNegado']);
});

test('a defence is taken once, as a bare text, and is refused when its claim is unknown or it is malformed', async () => {
  const { idInfracao } = await claim();
  const malformed = await Promise.all(
    [
      { ...defence, analise: 'talvez' },
      { ...defence, justificativa: '' },
      { ...defence, justificativa: 'x'.repeat(1001) },
    ].map((body) => defend(idInfracao, body)),
  );
  expect(malformed.map((response) => [response.status, faultyMember(response)])).toEqual([
    [400, 'body.analise'],
    [400, 'body.justificativa'],
    [400, 'body.justificativa'],
  ]);
  expect([...new Set(malformed.map(codeOf))]).toEqual(['InfracoesConsultaInvalida']);
  const unknown = await defend('5c0ec3b0-8f0f-4d5f-9d0b-1c1e3b0a7f11');
  expect([unknown.status, codeOf(unknown), unknown.body.detail]).toEqual([
    404,
    'InfracaoNaoEncontrada',
    'Infração não encontrada.',
  ]);
  expect((await find(idInfracao))?.['status']).toBe('ABERTA');

  expect(await defend(idInfracao)).toEqual({
    status: 201,
    body: 'Defesa de infração MED criada',
    type: 'text/plain; charset=utf-8',
  });
  const defended = await find(idInfracao);
  expect(defended).toMatchObject({
    status: 'EM_DEFESA',
    defesa: defence.justificativa,
    dadosAnalise: { recebimentoDefesa: defended?.['atualizadoEm'] },
  });
  const again = await defend(idInfracao, { ...defence, justificativa: 'Outra' });
  expect([again.status, codeOf(again), again.body.violacoes]).toEqual([
    409,
    'InfracaoOperacaoInvalida',
    [{ razao: 'A defesa para essa infração já foi criada.', propriedade: 'body.infractionId' }],
  ]);
  expect((await find(idInfracao))?.['defesa']).toBe(defence.justificativa);
});

test('a defence is refused when the claim is decided, or when its time limit is over by the clock of the client', async () => {
  await using other = await openLocalBank();
  const post = (idInfracao: string) => other.api('POST', `${path}/${idInfracao}/defesa`, defence);
  const decided = await claim({}, other);
  await control(other.bank, 'decide-claim', { idInfracao: decided.idInfracao, status: 'CANCELADA_EFI' });
  const refused = await post(decided.idInfracao);
  expect([refused.status, codeOf(refused)]).toEqual([409, 'InfracaoOperacaoInvalida']);

  const [brief, long] = [
    await claim({ days: 1 }, other),
    await claim({ prazoFinalizacao: '2030-01-17T12:00:00-03:00' }, other),
  ];
  expect(long.dadosAnalise.prazoFinalizacao).toBe('2030-01-17T15:00:00.000Z');
  await control(other.bank, 'clock', { advanceSeconds: 86_401 });
  const late = await post(brief.idInfracao);
  expect([late.status, codeOf(late), late.body.violacoes[0].razao]).toEqual([
    422,
    'InfracaoOperacaoInvalida',
    'O prazo para defesa foi excedido.',
  ]);
  expect((await post(long.idInfracao)).status).toBe(201);
});

test('a claim moves money only when it is accepted: wholly or in part, with its nature', async () => {
  const before = await balance();
  const blocked = async () => Number((await open.api('GET', '/v2/gn/saldo?bloqueios=true')).body.bloqueios.med);
  const [blockedBefore, endToEndId] = [await blocked(), await pay()];
  const whole = await claim({ endToEndId, natureza: 'MED_OPERACIONAL' });
  await expect(control(open.bank, 'claim', { endToEndId })).rejects.toThrow(/409/u);
  expect(await blocked()).toBe(blockedBefore + 10);
  expect(await balance()).toBe(before + 10);
  await defend(whole.idInfracao);
  const accepted = await control(open.bank, 'decide-claim', {
    endToEndId,
    status: 'ACEITA',
    justificativaAnalista: 'Procedente.',
  });
  expect(accepted.infracao).toMatchObject({ status: 'ACEITA', justificativaAnalista: 'Procedente.' });
  expect(accepted.infracao.dadosAnalise.finalizacao).toBe(accepted.infracao.atualizadoEm);
  expect(accepted.pix.devolucoes).toMatchObject([{ valor: '10.00', natureza: 'MED_OPERACIONAL', status: 'DEVOLVIDO' }]);
  expect(await find(whole.idInfracao)).toEqual(accepted.infracao);
  expect((await open.api('GET', `/v2/pix/${endToEndId}`)).body.devolucoes[0].natureza).toBe('MED_OPERACIONAL');
  expect([await balance(), await blocked()]).toEqual([before, blockedBefore]);
  await expect(control(open.bank, 'claim', { endToEndId })).rejects.toThrow(/409/u);

  const partial = await claim({ valor: '6.00' });
  const { pix } = await control(open.bank, 'decide-claim', {
    idInfracao: partial.idInfracao,
    status: 'ACEITA',
    valor: '4.00',
  });
  expect(pix.devolucoes).toMatchObject([{ valor: '4.00', natureza: 'MED_FRAUDE' }]);
  expect(await balance()).toBe(before + 6);
  const rest = await claim({ endToEndId: partial.endToEndId });
  expect(rest.valor).toBe('6.00');
  const excess = { idInfracao: rest.idInfracao, status: 'ACEITA', valor: '6.01' };
  await expect(control(open.bank, 'decide-claim', excess)).rejects.toThrow(/409/u);
  expect((await find(rest.idInfracao))?.['status']).toBe('ABERTA');
  const rejected = await control(open.bank, 'decide-claim', { idInfracao: rest.idInfracao, status: 'REJEITADA' });
  expect(rejected).toMatchObject({ infracao: { status: 'REJEITADA' } });
  expect(rejected.pix).toBeUndefined();
  expect(await balance()).toBe(before + 6);
  await expect(control(open.bank, 'decide-claim', { idInfracao: rest.idInfracao, status: 'ACEITA' })).rejects.toThrow(
    /409/u,
  );
});

test.each([
  ['LOSE_REQUEST', undefined, 'ABERTA'],
  ['LOSE_ANSWER', undefined, 'EM_DEFESA'],
  ['ERROR_AFTER', 503, 'EM_DEFESA'],
  ['GARBLE', 201, 'EM_DEFESA'],
  ['DELAY', 201, 'EM_DEFESA'],
] as const)(
  'the injected fault %s leaves a claim as the fault defines, when it meets a defence',
  async (fault, status, after) => {
    const { idInfracao } = await claim();
    await control(open.bank, 'fault', { fault, method: 'POST', path: '/defesa$', times: 1, ms: 30 });
    const response = await defend(idInfracao).catch(() => undefined);
    expect(response?.status).toBe(status);
    expect((await find(idInfracao))?.['status']).toBe(after);
    expect((await defend(idInfracao)).status).toBe(after === 'ABERTA' ? 201 : 409);
  },
);

test('the list of claims shows a status that no bank has, or an earlier state, when a fault demands it', async () => {
  const { idInfracao } = await claim();
  await control(open.bank, 'fault', { fault: 'NEW_VALUE', path: `^${path}$`, id: idInfracao, times: 1 });
  expect((await find(idInfracao))?.['status']).toBe('VALOR_NOVO');
  await control(open.bank, 'fault', { fault: 'LAG', path: `^${path}$`, ms: 600_000, times: 1 });
  expect(await find(idInfracao)).toBeUndefined();
  expect((await control(open.bank, 'state')).infracoes).toContainEqual(expect.objectContaining({ idInfracao }));
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseBrCode } from '#shared/core/br-code/parse.ts';
import { control, daysFromNow, membersOf, newId, openLocalBank, window } from '#test/support/api-pix/client.ts';

let open: Awaited<ReturnType<typeof openLocalBank>>;
beforeAll(async () => {
  open = await openLocalBank();
});
afterAll(() => open[Symbol.asyncDispose]());

const rec = (more: object = {}) => ({
  vinculo: { contrato: 'contract-1', devedor: { cpf: '52998224725', nome: 'Maria Souza' }, objeto: 'Internet' },
  calendario: { dataInicial: daysFromNow(1), periodicidade: 'MENSAL' },
  valor: { valorRec: '29.90' },
  politicaRetentativa: 'PERMITE_3R_7D',
  ...more,
});

const cobr = (idRec: string, more: object = {}) => {
  const { conta, agencia, tipoConta } = open.bank.client.accounts[0]!;
  const calendario = { dataDeVencimento: daysFromNow(5) };
  const recebedor = { conta, agencia, tipoConta };
  return { idRec, calendario, valor: { original: '29.90' }, ajusteDiaUtil: false, recebedor, ...more };
};

async function openAuthorized(more: object = {}): Promise<string> {
  const loc = (await open.api('POST', '/v2/locrec')).body.id;
  const { idRec } = (await open.api('POST', '/v2/rec', rec({ loc, ...more }))).body;
  await control(open.bank, 'authorize', { idRec });
  return String(idRec);
}

const reasonOf = (response: { body: { violacoes?: { razao: string }[] } }) => response.body.violacoes?.[0]?.razao;

test('a recurrence of journey 3 takes its charge, then its location, and has one code for both', async () => {
  const txid = newId();
  await open.api('PUT', `/v2/cob/${txid}`, { calendario: {}, valor: { original: '5.00' }, chave: open.chave });
  const loc = (await open.api('POST', '/v2/locrec')).body;
  const created = await open.api('POST', '/v2/rec', rec({ loc: loc.id, ativacao: { dadosJornada: { txid } } }));
  expect(created).toMatchObject({ status: 201, body: { status: 'CRIADA', loc: { id: loc.id } } });
  const { idRec } = created.body;
  expect(idRec).toMatch(/^RR09089356\d{8}\w{11}$/u);
  expect((await open.api('GET', `/v2/locrec/${loc.id}`)).body.idRec).toBe(idRec);
  const alone = (await open.api('GET', `/v2/rec/${idRec}`)).body.dadosQR;
  expect([alone.jornada, parseBrCode(String(alone.pixCopiaECola)).kind]).toEqual(['JORNADA_2', 'RECURRENCE_ONLY']);
  const both = (await open.api('GET', `/v2/rec/${idRec}?txid=${txid}`)).body.dadosQR;
  expect(both.jornada).toBe('JORNADA_3');
  expect(parseBrCode(String(both.pixCopiaECola))).toMatchObject({ kind: 'DYNAMIC', recurrenceUrl: loc.location });
  expect((await open.api('GET', `/v2/rec/${idRec}?txid=${newId()}`)).status).toBe(400);

  await control(open.bank, 'authorize', { idRec });
  const approved = (await open.api('GET', `/v2/rec/${idRec}`)).body;
  expect(approved).toMatchObject({
    status: 'APROVADA',
    ativacao: { tipoJornada: 'JORNADA_3', dadosJornada: { txid } },
  });
  expect(membersOf(approved.atualizacao, 'status')).toEqual(['CRIADA', 'APROVADA']);
  expect(approved.pagador).toEqual({ cpf: '52998224725', ispbParticipante: '60746948', codMun: '3550308' });
});

test('creating again makes another recurrence, but a location serves one', async () => {
  const loc = (await open.api('POST', '/v2/locrec')).body.id;
  await open.api('POST', '/v2/rec', rec({ loc }));
  expect(reasonOf(await open.api('POST', '/v2/rec', rec({ loc })))).toContain('já está sendo utilizado');
  expect(reasonOf(await open.api('POST', '/v2/rec', rec({ loc: 1 })))).toContain('inexiste');
  const ids = await Promise.all([1, 2].map(async () => String((await open.api('POST', '/v2/rec', rec())).body.idRec)));
  expect(new Set(ids).size).toBe(2);
  const listed = (await open.api('GET', `/v2/rec?${window}&cpf=52998224725`)).body.recs;
  expect(membersOf(listed, 'idRec')).toEqual(expect.arrayContaining(ids));
});

test.each([
  ['begins in the past', { calendario: { dataInicial: daysFromNow(-1), periodicidade: 'MENSAL' } }],
  [
    'ends before it begins',
    { calendario: { dataInicial: daysFromNow(2), dataFinal: daysFromNow(1), periodicidade: 'MENSAL' } },
  ],
  ['has both amounts', { valor: { valorRec: '1.00', valorMinimoRecebedor: '1.00' } }],
  [
    'has a contract of 36 characters',
    { vinculo: { contrato: 'x'.repeat(36), devedor: { cpf: '52998224725', nome: 'M' } } },
  ],
])('a recurrence that %s is refused', async (_name, more) => {
  const refused = await open.api('POST', '/v2/rec', rec(more));
  expect([refused.status, String(refused.body.type).split('/').at(-1)]).toEqual([400, 'RecOperacaoInvalida']);
});

test('a canceled recurrence is CANCELADA immediately, cancels its scheduled charges, and refuses later changes', async () => {
  const idRec = await openAuthorized();
  const txid = newId();
  await open.api('PUT', `/v2/cobr/${txid}`, cobr(idRec));
  const canceled = await open.api('PATCH', `/v2/rec/${idRec}`, { status: 'CANCELADA' });
  expect(canceled.body).toMatchObject({
    status: 'CANCELADA',
    encerramento: { cancelamento: { solicitante: 'USUARIO_RECEBEDOR', codigo: 'SLCR' } },
  });
  expect((await open.api('GET', `/v2/cobr/${txid}`)).body).toMatchObject({
    status: 'CANCELADA',
    tentativas: [{ status: 'CANCELADA' }],
    encerramento: { cancelamento: { codigo: 'CCLD' } },
  });
  expect(reasonOf(await open.api('PATCH', `/v2/rec/${idRec}`, { status: 'CANCELADA' }))).toContain(
    'expirada, cancelada ou rejeitada',
  );
  expect(reasonOf(await open.api('PUT', `/v2/cobr/${newId()}`, cobr(idRec)))).toContain('APROVADA');
});

test('a recurrence is refused or canceled by the payer, or expires', async () => {
  const create = async () => String((await open.api('POST', '/v2/rec', rec())).body.idRec);
  const [refused, expired, canceled] = [await create(), await create(), await openAuthorized()];
  await control(open.bank, 'refuse', { idRec: refused, codigo: 'AP14' });
  await control(open.bank, 'end', { idRec: expired, status: 'EXPIRADA' });
  await control(open.bank, 'end', { idRec: canceled, codigo: 'ACCL', solicitante: 'PSP_PAGADOR' });
  const states = await Promise.all([refused, expired, canceled].map((id) => open.api('GET', `/v2/rec/${id}`)));
  expect(states.map(({ body: { status, encerramento } }) => ({ status, encerramento }))).toMatchObject([
    { status: 'REJEITADA', encerramento: { rejeicao: { codigo: 'AP14' } } },
    { status: 'EXPIRADA' },
    { status: 'CANCELADA', encerramento: { cancelamento: { codigo: 'ACCL', solicitante: 'PSP_PAGADOR' } } },
  ]);
});

test('a recurring charge is accepted once per cycle and txid, for the own account, and not for a past day', async () => {
  const idRec = await openAuthorized();
  const txid = newId();
  const created = await open.api('PUT', `/v2/cobr/${txid}`, cobr(idRec));
  expect(created).toMatchObject({ status: 201, body: { status: 'CRIADA', tentativas: [{ tipo: 'AGND' }] } });
  expect(created.body.tentativas[0]).toMatchObject({ status: 'SOLICITADA', dataLiquidacao: daysFromNow(5) });
  const tries: [string, object][] = [
    [txid, cobr(idRec)],
    [newId(), cobr(idRec, { calendario: { dataDeVencimento: daysFromNow(6) } })],
    [newId(), cobr(idRec, { calendario: { dataDeVencimento: daysFromNow(-1) } })],
    [newId(), cobr(idRec, { recebedor: { conta: '999', tipoConta: 'CORRENTE' } })],
  ];
  const reasons = await Promise.all(
    tries.map(async ([id, body]) => reasonOf(await open.api('PUT', `/v2/cobr/${id}`, body))),
  );
  expect(reasons).toEqual([
    expect.stringContaining('em uso'),
    expect.stringContaining('mesmo ciclo'),
    expect.stringContaining('anterior'),
    expect.stringContaining('não pertence'),
  ]);
  const later = cobr(idRec, { calendario: { dataDeVencimento: daysFromNow(40) } });
  expect((await open.api('PUT', `/v2/cobr/${newId()}`, later)).status).toBe(201);
});

test('a recurring charge is scheduled, expires unpaid, is retried on another day, and is paid', async () => {
  const idRec = await openAuthorized();
  const txid = newId();
  await open.api('PUT', `/v2/cobr/${txid}`, cobr(idRec));
  const retry = (day: string) => open.api('POST', `/v2/cobr/${txid}/retentativa/${day}`);
  await control(open.bank, 'attempt', { txid, status: 'AGENDADA' });
  expect(reasonOf(await retry(daysFromNow(6)))).toContain('SOLICITADA ou AGENDADA');
  await control(open.bank, 'attempt', { txid, status: 'EXPIRADA' });
  expect(reasonOf(await retry(daysFromNow(0)))).toContain('futura');
  expect(reasonOf(await retry(daysFromNow(13)))).toContain('7 dias');
  expect((await retry(daysFromNow(6))).body.tentativas[1]).toMatchObject({ tipo: 'NTAG', status: 'SOLICITADA' });
  expect(reasonOf(await retry(daysFromNow(6)))).toContain('vigente para a data');
  await control(open.bank, 'attempt', { txid, status: 'AGENDADA' });
  await control(open.bank, 'attempt', { txid, status: 'PAGA' });
  const paid = (await open.api('GET', `/v2/cobr/${txid}`)).body;
  expect(paid).toMatchObject({ status: 'CONCLUIDA', tentativas: [{ status: 'EXPIRADA' }, { status: 'PAGA' }] });
  expect(paid.pix).toMatchObject([{ endToEndId: paid.tentativas[1].endToEndId, valor: '29.90', txid }]);
});

test('a settlement error is sent again on its day by the bank; a refusal has its code', async () => {
  const [failing, refused] = [newId(), newId()];
  await open.api('PUT', `/v2/cobr/${failing}`, cobr(await openAuthorized()));
  await open.api('PUT', `/v2/cobr/${refused}`, cobr(await openAuthorized()));
  await control(open.bank, 'attempt', { txid: failing, status: 'CANCELADA', codigo: 'FAIL' });
  expect((await open.api('GET', `/v2/cobr/${failing}`)).body.encerramento.cancelamento.codigo).toBe('FAIL');
  await control(open.bank, 'resend', { txid: failing });
  expect((await open.api('GET', `/v2/cobr/${failing}`)).body.tentativas[1].tipo).toBe('RIFL');
  await control(open.bank, 'attempt', { txid: refused, status: 'REJEITADA', codigo: 'AM09' });
  expect((await open.api('GET', `/v2/cobr/${refused}`)).body).toMatchObject({
    status: 'REJEITADA',
    tentativas: [{ rejeicao: { codigo: 'AM09' } }],
  });
});

test('a charge is withdrawn until the day before its first attempt, and a retry needs the policy', async () => {
  const idRec = await openAuthorized({ politicaRetentativa: 'NAO_PERMITE' });
  const [txid, due] = [newId(), newId()];
  await open.api('PUT', `/v2/cobr/${txid}`, cobr(idRec));
  expect((await open.api('PATCH', `/v2/cobr/${txid}`, { status: 'CANCELADA' })).body.status).toBe('CANCELADA');
  expect((await open.api('PATCH', `/v2/cobr/${txid}`, { status: 'CANCELADA' })).status).toBe(400);
  await open.api('PUT', `/v2/cobr/${due}`, cobr(idRec));
  await control(open.bank, 'clock', { advanceSeconds: 5 * 86_400 });
  expect(reasonOf(await open.api('PATCH', `/v2/cobr/${due}`, { status: 'CANCELADA' }))).toContain('primeira tentativa');
  await control(open.bank, 'attempt', { txid: due, status: 'EXPIRADA' });
  expect(reasonOf(await open.api('POST', `/v2/cobr/${due}/retentativa/${daysFromNow(7)}`))).toContain('não permite');
  await control(open.bank, 'clock', { advanceSeconds: -5 * 86_400 });
});

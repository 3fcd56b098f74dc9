import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, tail } from '#infra/releases/commands.ts';
import { serveCallbacks } from '@banking-order/local-environment';
import { openAuthority, startLocalBank } from '@banking-order/fake-bank';
import type { LocalBank } from '@banking-order/fake-bank';
import { readResults } from '#tools/add-up.ts';
import { connect, control, takeToken } from '#test/support/api-pix/client.ts';
import type { Exchange } from './relay.ts';
import { openFrontRelay } from './relay.ts';
import { bankIdOf, inDays, newReference } from './suite.ts';
import type { Verdict } from './verdict.ts';
import type { Likely } from './walked-file.ts';
import { readWalkedFile } from './walked-file.ts';

const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'response_headers_conformance',
];

/**
 * Lets schemathesis walk BCB's corrected file against a bank of its own that has something of everything: no answer is
 * a server error, and each is one that the file allows.
 *
 * @param schemathesis Path of the program.
 */
export async function judgeByWalk(schemathesis: string): Promise<Verdict> {
  await using undo = new AsyncDisposableStack();
  const dir = mkdtempSync(join(tmpdir(), 'bank-judges-'));
  undo.defer(() => {
    rmSync(dir, { recursive: true });
  });
  const bank = await startLocalBank({ dir });
  undo.defer(bank.close);
  const front = await openFrontRelay(bank, dir, () => undefined);
  undo.defer(front.close);
  const file = join(dir, 'walked.json');
  const ears = await serveCallbacks(openAuthority(join(dir, 'certificates')), () =>
    Promise.resolve({ ok: true, payload: { statusCode: 200, headers: {}, body: '{}' } }),
  );
  undo.defer(ears.stop);
  const document = readWalkedFile(await fill(bank, `${ears.url}/token`));
  writeFileSync(file, JSON.stringify(document));
  const log = join(dir, 'walk.log');
  const token = String((await takeToken(bank)).body.access_token);
  const code = await run(
    [
      schemathesis,
      ...['--config-file', join(import.meta.dirname, 'schemathesis.toml')],
      ...['run', file, '--url', `${front.url}/v2`, '--tls-verify', bank.caFile],
      ...['--header', `Authorization: Bearer ${token}`, '--checks', checks.join(',')],
    ],
    { log, environment: { COLUMNS: '200' } },
  );
  const output = readFileSync(log, 'utf8');
  const [result] = readResults(output);
  const untaken = untakenOperations(document, front.exchanges);
  const isWell = code === 0 && result?.failed === 0;
  return { passed: result?.passed ?? 0, failures: [...(isWell ? [] : [tail(log, 2000)]), ...untaken] };
}

/** Operations without an accepted request: the run would test only refusals of them. */
function untakenOperations(
  { paths }: ReturnType<typeof readWalkedFile>,
  exchanges: readonly Exchange[],
): readonly string[] {
  const taken = exchanges.filter(({ status }) => status < 300);
  return Object.entries(paths).flatMap(([path, item]) => {
    const pattern = new RegExp(`^/v2${path.replaceAll(/\{\w+\}/gu, '[^/?]+')}(?:\\?|$)`, 'u');
    return Object.keys(item)
      .filter((verb) => !taken.some((one) => one.method === verb.toUpperCase() && pattern.test(one.path)))
      .map((verb) => `The bank accepted no request ${verb} ${path}.`);
  });
}

/** Something of everything in all states, and values that lead to it. */
async function fill(bank: LocalBank, webhookUrl: string): Promise<Likely> {
  const api = await connect(bank);
  const [account] = bank.client.accounts;
  const { chave = '', conta, agencia, tipoConta } = account ?? {};
  for (const path of [`webhook/${chave}`, 'webhookrec', 'webhookcobr']) await api('PUT', `/v2/${path}`, { webhookUrl });
  const ids = (count: number): string[] => Array.from({ length: count }, () => bankIdOf(newReference()));
  const cobs = ids(6);
  const cob = { calendario: {}, valor: { original: '10.00' }, chave };
  for (const txid of cobs) await api('PUT', `/v2/cob/${txid}`, cob);
  const [, paid = '', removed = ''] = cobs;
  const [{ endToEndId }] = await control(bank, 'pay', { txid: paid, times: 1 });
  await api('PATCH', `/v2/cob/${removed}`, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' });
  const [bare] = await control(bank, 'pay', { valor: '50.00' });
  const refunds = ids(2);
  await api('PUT', `/v2/pix/${bare.endToEndId}/devolucao/${refunds[0]}`, { valor: '1.00' });
  const recs: string[] = [];
  const locs: number[] = [];
  for (let at = 0; at < 12; at += 1) {
    const loc = Number((await api('POST', '/v2/locrec')).body.id);
    const { idRec } = (
      await api('POST', '/v2/rec', {
        vinculo: { contrato: `contract-${at}`, devedor: { cpf: '52998224725', nome: 'Maria Souza' } },
        calendario: { dataInicial: inDays(1), periodicidade: 'MENSAL' },
        ...{ valor: { valorRec: '29.90' }, politicaRetentativa: 'PERMITE_3R_7D', loc },
      })
    ).body;
    recs.push(String(idRec));
    locs.push(loc, Number((await api('POST', '/v2/locrec')).body.id));
  }
  const approved = recs.slice(2);
  for (const idRec of approved) await control(bank, 'authorize', { idRec });
  const cobrs = ids(6);
  const recebedor = { conta, agencia, tipoConta };
  for (const [at, txid] of cobrs.slice(0, 4).entries()) {
    const calendario = { dataDeVencimento: inDays(5) };
    const valor = { original: '29.90' };
    await api('PUT', `/v2/cobr/${txid}`, { idRec: approved[at], calendario, valor, ajusteDiaUtil: false, recebedor });
  }
  for (const txid of cobrs.slice(0, 2))
    for (const status of ['AGENDADA', 'EXPIRADA']) await control(bank, 'attempt', { txid, status });
  const spare = ids(8);
  return {
    'cob txid': [...cobs, ...spare],
    'cob chave': [chave],
    'cob original': ['0.01', '12.34', '1234567.89'],
    'pix e2eid': [String(endToEndId), String(bare.endToEndId)],
    'pix id': [...refunds, ...spare],
    'pix valor': ['0.01', '1.00'],
    'rec idRec': recs,
    'rec loc': locs,
    'rec dataInicial': [inDays(1), inDays(3)],
    'rec dataFinal': [inDays(400)],
    'locrec id': locs,
    'cobr txid': cobrs,
    'put cobr txid': [...spare, ...cobrs],
    'cobr data': [inDays(6), inDays(7), inDays(20)],
    // Of free recs, of one with a charge in this cycle, of one that is not authorized.
    'cobr idRec': [...approved.slice(4), ...recs.slice(1, 3)],
    'cobr dataDeVencimento': [inDays(5), inDays(40), inDays(70)],
    'cobr recebedor': [recebedor],
    'cobr original': ['29.90'],
    'webhook chave': [chave],
  };
}

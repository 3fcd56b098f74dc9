import { at, e2e, payer, reference, rtr } from './bank-orders.ts';

// Answers of a bank of API Pix, each about a thing of the ids in bank-orders.ts.

export const otherId = 'f'.repeat(32);
export const otherNumber = `${e2e.slice(0, -1)}z`;
export const idRec = 'RN0908935620260115abcdefghijk';
export const otherRec = 'RN0908935620260115abcdefghijz';

export const sent = {
  idEnvio: reference,
  endToEndId: e2e,
  valor: '10.00',
  status: 'REALIZADO',
  horario: { liquidacao: at },
};
export const cob = {
  ...{ txid: reference, status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR', chave: 'caixa@empresa.example' },
  ...{ valor: { original: '25.00' }, loc: { id: 1, location: `pix.efi.example/v2/${reference}` } },
};
export const devolucao = { id: reference, rtrId: rtr, valor: '1.00', status: 'DEVOLVIDO', horario: { liquidacao: at } };
export const infracao = {
  ...{ idInfracao: '8ad75c93-6150-422c-929e-822f361c7a6b', endToEndId: e2e, protocolo: '1313', valor: '25.00' },
  ...{ dataTransacao: at, status: 'ABERTA', razao: 'Solicitacao de devolução', identificadorTicket: [94] },
  dadosAnalise: { abertura: at, prazoFinalizacao: at },
  ...{ criadoEm: at, atualizadoEm: at },
};
export const rec = {
  ...{ idRec, status: 'CANCELADA', politicaRetentativa: 'NAO_PERMITE', valor: { valorRec: '29.90' } },
  vinculo: { contrato: 'contract-1', devedor: { cpf: payer.document.number, nome: payer.name } },
  calendario: { dataInicial: '2026-02-01', dataFinal: '2027-02-01', periodicidade: 'MENSAL' },
  loc: { id: 7, location: 'pix.efi.example/qr/v2/rec/7', idRec },
};
export const cobr = {
  ...{ txid: reference, idRec, status: 'CANCELADA', valor: { original: '29.90' } },
  calendario: { dataDeVencimento: '2026-01-20' },
  tentativas: [
    {
      ...{ tipo: 'AGND', status: 'CANCELADA', dataLiquidacao: '2026-01-20', endToEndId: e2e },
      atualizacao: [{ status: 'CANCELADA', data: at }],
    },
  ],
};
export const pix = { endToEndId: e2e, txid: reference, valor: '25.00', horario: at, chave: 'caixa@empresa.example' };

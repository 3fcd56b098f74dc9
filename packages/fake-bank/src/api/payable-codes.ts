import { readCode } from '../codes.ts';
import { masked } from './received.ts';
import { refuseEfi } from '../refusal.ts';
import type { Session } from '../session.ts';
import { plusSeconds } from '../time.ts';

type Payable = { readonly valor: string; readonly chave: string; readonly txid?: string };

/**
 * Returns the payment of a code: a static one with an amount, or a charge of this bank or of another whose location is
 * known here.
 *
 * @throws Refusal for a code that cannot be paid.
 */
export function payableCode(session: Session, text: string): Payable {
  const code = readCode(text);
  if (code?.kind === 'STATIC') {
    const { valor, chave, txid } = code;
    if (valor === undefined) throw refuseEfi(400, 'valor_invalido', 'O QR Code não tem valor.');
    return { valor, chave, ...(txid !== undefined && { txid }) };
  }
  const found = code?.kind === 'DYNAMIC' ? chargeAt(session, code.location) : undefined;
  if (found === undefined) throw refuseEfi(404, 'qrcode_nao_encontrado', 'O QR Code não corresponde a uma cobrança.');
  if (found.status !== 'ATIVA' || found.isExpired)
    throw refuseEfi(400, 'qrcode_invalido', 'A cobrança do QR Code não pode ser paga.');
  return { valor: found.valor, chave: found.chave, txid: found.txid };
}

/** Returns Efí's details of a dynamic code before payment; undefined for static codes and unknown charges. */
export function detailOfCode(session: Session, text: string): object | undefined {
  const code = readCode(text);
  const found = code?.kind === 'DYNAMIC' ? chargeAt(session, code.location) : undefined;
  if (found === undefined) return undefined;
  const { txid, revisao, status, chave, valor, criacao, expiracao, recebedor } = found;
  return {
    tipoCob: 'cob',
    txid,
    revisao,
    status,
    calendario: { criacao, apresentacao: session.now, expiracao },
    valor: { original: valor, final: valor },
    chave,
    recebedor: masked(recebedor),
  };
}

/** Seconds that a charge of another bank can be paid. */
const foreignExpiry = 86_400;

function chargeAt({ common, now, peer }: Session, location: string) {
  const owner = common.find('location', location.slice(location.lastIndexOf('/') + 1));
  if (owner === undefined) return undefined;
  if (!('client' in owner)) {
    const { txid, chave, valor, recebedor, criacao } = owner;
    const isExpired = plusSeconds(criacao, foreignExpiry) < now;
    return { txid, revisao: 0, status: 'ATIVA', chave, valor, criacao, expiracao: foreignExpiry, recebedor, isExpired };
  }
  const receiver = peer(owner.client);
  const cob = receiver?.drawer.find('cob', owner.txid);
  if (receiver === undefined || cob === undefined) return undefined;
  const { txid, revisao, status, chave, valor, calendario } = cob;
  const { nome, cnpj } = receiver.client;
  // By its own bank's clock for that client, which may be set.
  const isExpired = plusSeconds(calendario.criacao, calendario.expiracao) < receiver.now;
  const charge = { txid, revisao, status, chave, valor: valor.original };
  return { ...charge, ...calendario, recebedor: { nome, cnpj }, isExpired };
}

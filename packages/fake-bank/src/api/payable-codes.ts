import { readCode } from '../codes.ts';
import { masked } from './received.ts';
import { refuseEfi } from '../refusal.ts';
import type { Session } from '../session.ts';
import { plusSeconds } from '../time.ts';

type Payable = { readonly valor: string; readonly chave: string; readonly txid?: string };

/**
 * Returns amount, key and txid of the payment for a code. The code is static with an amount, or it is dynamic and its
 * location is that of a client's charge or of a stored charge at another bank.
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

/** Returns the details that Efí shows of a dynamic code; undefined for any other code and for an unknown charge. */
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

/** Seconds from its creation until a charge at another bank expires. */
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
  // The expiry follows the clock of the receiving client, which may be ahead of the machine's clock.
  const isExpired = plusSeconds(calendario.criacao, calendario.expiracao) < receiver.now;
  const charge = { txid, revisao, status, chave, valor: valor.original };
  return { ...charge, ...calendario, recebedor: { nome, cnpj }, isExpired };
}

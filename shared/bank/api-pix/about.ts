import { parseDocument } from '#shared/core/document.ts';
import { samePixKey } from '#shared/core/pix-key.ts';
import type { BankClient } from './client.ts';
import type { CobBody, CobrBody, Devolucao, PixBody, RecBody, SentBody } from './shapes.ts';

/*
 * The rule of all answers: what one names must be what was asked for. An answer that names another thing (a confused
 * proxy, a cache) is not understood: `UNKNOWN`, reported, and nothing of it is believed.
 */

/** By the bank's names. Absent: it is not named, or nothing is known of it; then it is no other thing. */
export type Facts = Readonly<Record<string, string | number | undefined>>;

/** Ids of ours are 32 digits in lower case, and no two differ in case alone: a bank may write them in capitals. */
const ownIds: readonly string[] = ['idEnvio', 'txid', 'id'];

function isSame(field: string, asked: string | number, named: string | number): boolean {
  if (typeof asked === 'number' || typeof named === 'number') return asked === named;
  if (ownIds.includes(field)) return asked.toLowerCase() === named.toLowerCase();
  return field === 'chave' ? samePixKey(asked, named) : asked === named;
}

/** The fields in which an answer names another thing than was asked for. */
export function otherFields(asked: Facts, named: Facts): readonly string[] {
  return Object.entries(asked).flatMap(([field, value]) => {
    const other = named[field];
    return value === undefined || other === undefined || isSame(field, value, other) ? [] : [field];
  });
}

/** Whether an answer is about what was asked for; one that is not is reported by its fields: values may be personal. */
export function isAbout(client: Pick<BankClient, 'misled'>, asked: Facts, named: Facts): boolean {
  const fields = otherFields(asked, named);
  if (fields.length > 0) client.misled(fields.join(', '));
  return fields.length === 0;
}

/** The same within what reads an answer. @throws Error, which makes it one that is not understood */
export function requireAbout(client: Pick<BankClient, 'misled'>, asked: Facts, named: Facts): void {
  if (!isAbout(client, asked, named)) throw new Error('The answer is about another thing.');
}

/** What a sent Pix names. */
export function sentFacts({ idEnvio, endToEndId, e2eId, valor }: SentBody): Facts {
  return { idEnvio, endToEndId: endToEndId ?? e2eId, valor };
}

/** What a cob names. A payment in it may name its `txid` again. */
export function cobFacts({ txid, chave, valor, pix }: CobBody): Facts {
  const others = pix.map((one) => one.txid).filter((one) => one !== undefined && !isSame('txid', txid, one));
  return { txid: others[0] ?? txid, chave, valor: valor?.original };
}

export function devolucaoFacts({ id, valor }: Devolucao): Facts {
  return { id, valor };
}

export function pixFacts({ endToEndId, txid, chave, valor }: PixBody): Facts {
  return { endToEndId, txid, chave, valor };
}

/** What a rec names; a masked document is not named. */
export function recFacts({ idRec, vinculo, calendario, politicaRetentativa, valor, loc }: RecBody): Facts {
  const { contrato, devedor } = vinculo ?? {};
  return {
    idRec,
    contrato,
    loc: loc?.id,
    politicaRetentativa,
    devedor: parseDocument(devedor?.cpf ?? devedor?.cnpj ?? '')?.number,
    dataInicial: calendario?.dataInicial?.slice(0, 10),
    dataFinal: calendario?.dataFinal?.slice(0, 10),
    periodicidade: calendario?.periodicidade,
    valorRec: valor?.valorRec,
    valorMinimoRecebedor: valor?.valorMinimoRecebedor,
  };
}

export function cobrFacts({ txid, idRec, calendario, valor }: CobrBody): Facts {
  return { txid, idRec, dataDeVencimento: calendario?.dataDeVencimento, valor: valor?.original };
}

import { parseDocument } from '#shared/core/document.ts';
import type { Facts } from '#shared/bank/about.ts';
import { isSame } from '#shared/bank/about.ts';
import type { CobBody, CobrBody, Devolucao, InfracaoBody, PixBody, RecBody, SentBody } from './shapes.ts';

/** Returns the facts in a sent Pix. */
export function sentFacts({ idEnvio, endToEndId, e2eId, valor }: SentBody): Facts {
  return { idEnvio, endToEndId: endToEndId ?? e2eId, valor };
}

/** Returns the facts in a cob. `txid`: if a payment in the cob names another `txid`, that one. */
export function cobFacts({ txid, chave, valor, pix }: CobBody): Facts {
  const others = pix
    .map((payment) => payment.txid)
    .filter((named) => named !== undefined && !isSame('txid', txid, named));
  return { txid: others[0] ?? txid, chave, valor: valor?.original };
}

export function devolucaoFacts({ id, valor }: Devolucao): Facts {
  return { id, valor };
}

export function pixFacts({ endToEndId, txid, chave, valor }: PixBody): Facts {
  return { endToEndId, txid, chave, valor };
}

/** Returns the facts in a claim (infração). */
export function claimFacts({ idInfracao, endToEndId }: InfracaoBody): Facts {
  return { idInfracao, endToEndId };
}

/** Returns the facts in a rec, without a masked document. */
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

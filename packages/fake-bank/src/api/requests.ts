import * as z from 'zod';
import { amountShape, cents } from '../amounts.ts';
import { problem, Refusal, violations } from '../refusal.ts';
import { isDay } from '../time.ts';

// Shapes of request bodies. Members that API Pix does not name are ignored, as API Pix specifies.

const amount = z.string().regex(amountShape, { abort: true });
const positiveAmount = amount.refine((text) => cents(text) > 0);
const day = z.string().refine(isDay);
const cpf = z.string().regex(/^\d{11}$/u);
const cnpj = z.string().regex(/^[0-9A-Z]{14}$/u);
const chave = z.string().min(1).max(77);
export const txid = z.string().regex(/^[a-zA-Z0-9]{26,35}$/u);

const debtor = (nameLength: number) =>
  z.union([
    z.object({ cpf, nome: z.string().min(1).max(nameLength) }),
    z.object({ cnpj, nome: z.string().min(1).max(nameLength) }),
  ]);

export const CobRequest = z.object({
  calendario: z.object({ expiracao: z.int().positive().exactOptional() }),
  devedor: debtor(200).exactOptional(),
  valor: z.object({ original: positiveAmount }),
  chave,
  solicitacaoPagador: z.string().max(140).exactOptional(),
  infoAdicionais: z
    .array(z.object({ nome: z.string().max(50), valor: z.string().max(200) }))
    .max(50)
    .exactOptional(),
});

export const CobRevision = z.object({
  calendario: z.object({ expiracao: z.int().positive().exactOptional() }).exactOptional(),
  devedor: debtor(200).exactOptional(),
  valor: z.object({ original: positiveAmount }).exactOptional(),
  chave: chave.exactOptional(),
  solicitacaoPagador: z.string().max(140).exactOptional(),
  status: z.literal('REMOVIDA_PELO_USUARIO_RECEBEDOR').exactOptional(),
});

export const DevolucaoRequest = z.object({
  valor: positiveAmount,
  natureza: z.enum(['ORIGINAL', 'RETIRADA']).default('ORIGINAL'),
  descricao: z.string().max(140).exactOptional(),
});

export const RecRequest = z.object({
  vinculo: z.object({
    contrato: z.string().min(1).max(35),
    devedor: debtor(140),
    objeto: z.string().max(35).exactOptional(),
  }),
  calendario: z.object({
    dataInicial: day,
    dataFinal: day.exactOptional(),
    periodicidade: z.enum(['SEMANAL', 'MENSAL', 'TRIMESTRAL', 'SEMESTRAL', 'ANUAL']),
  }),
  valor: z
    .object({ valorRec: positiveAmount.exactOptional(), valorMinimoRecebedor: amount.exactOptional() })
    .exactOptional(),
  politicaRetentativa: z.enum(['NAO_PERMITE', 'PERMITE_3R_7D']),
  recebedor: z.object({ convenio: z.string().max(60).exactOptional() }).exactOptional(),
  loc: z.int().exactOptional(),
  ativacao: z.object({ dadosJornada: z.object({ txid }).exactOptional() }).exactOptional(),
});

export const RecRevision = z.object({
  status: z.literal('CANCELADA').exactOptional(),
  vinculo: z.object({ devedor: z.object({ nome: z.string().min(1).max(140) }) }).exactOptional(),
  loc: z.int().exactOptional(),
  calendario: z.object({ dataInicial: day }).exactOptional(),
  ativacao: z.object({ dadosJornada: z.object({ txid }) }).exactOptional(),
});

export const CobRRequest = z.object({
  idRec: z.string().regex(/^[a-zA-Z0-9]{29}$/u),
  infoAdicional: z.string().max(140).exactOptional(),
  calendario: z.object({ dataDeVencimento: day }),
  valor: z.object({ original: positiveAmount }),
  ajusteDiaUtil: z.boolean().default(true),
  recebedor: z.object({
    conta: z.string().min(1).max(20),
    tipoConta: z.enum(['CORRENTE', 'POUPANCA', 'PAGAMENTO']),
    agencia: z.string().max(4).exactOptional(),
  }),
  devedor: z.record(z.string(), z.string()).exactOptional(),
});

export const CobRRevision = z.object({ status: z.literal('CANCELADA') });

export const WebhookRequest = z.object({ webhookUrl: z.url({ protocol: /^https?$/u }) });

const payer = z.object({ chave, infoPagador: z.string().max(140).exactOptional() });

const bankAccount = {
  nome: z.string().min(1),
  codigoBanco: z.string().regex(/^[0-9A-Z]{8}$/u),
  agencia: z.string().min(1),
  conta: z.string().min(1),
  tipoConta: z.enum(['cacc', 'svgs']),
};

export const PayoutRequest = z.object({
  valor: positiveAmount,
  pagador: payer,
  favorecido: z.union([
    z.object({ chave, cpf: cpf.exactOptional(), cnpj: cnpj.exactOptional() }),
    z.object({ contaBanco: z.union([z.object({ ...bankAccount, cpf }), z.object({ ...bankAccount, cnpj })]) }),
  ]),
});

export const CodePayoutRequest = z.object({ pagador: payer, pixCopiaECola: z.string().min(1).max(512) });
export const CodeQuestion = z.object({ pixCopiaECola: z.string().min(1).max(512) });

export const DefenceRequest = z.object({
  analise: z.enum(['aceito', 'rejeitado']),
  justificativa: z.string().min(1).max(1000),
});

/** Reads a body. @throws Refusal 400 with a violation for each member that does not fit the shape. */
export function readBody<T extends z.ZodType>(
  shape: T,
  body: unknown,
  code: string,
  root: string,
  detail = 'A requisição não respeita o schema.',
): z.output<T> {
  const read = shape.safeParse(body);
  if (read.success) return read.data;
  throw new Refusal(problem(400, code, detail, violations(read.error.issues, root)));
}

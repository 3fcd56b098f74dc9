import * as z from 'zod';
import { parseInstant } from '#shared/core/brasilia-time.ts';
import { parseAmount } from '#shared/core/money.ts';

/*
 * Bodies of API Pix 2.9 and of Efí's payouts: the fields that the service uses. A missing or malformed field makes the
 * whole response `UNKNOWN`: nothing is guessed.
 */

/** An RFC 3339 time, as the ports have it. */
const Time = z.string().transform((text, context) => {
  const at = parseInstant(text);
  if (at !== undefined) return at;
  context.addIssue('is not a time');
  return z.NEVER;
});
/** `valor`: reais with two decimals. API Pix allows leading zeros (`\d{1,10}\.\d{2}`); a partner's amount has none. */
const Valor = z.string().transform((text, context) => {
  const amount = parseAmount(text.replace(/^0+(?=\d)/u, ''));
  if (amount !== undefined) return amount;
  context.addIssue('is not an amount');
  return z.NEVER;
});

/** Makes a field of a reply optional: absent or null is undefined. */
function optional<T>(schema: z.ZodType<T>) {
  return schema.nullish().transform((value) => value ?? undefined);
}

const Devolucao = z.object({
  id: z.string().optional(),
  rtrId: z.string().optional(),
  valor: Valor,
  status: z.string().optional(),
  natureza: z.string().optional(),
  motivo: z.string().optional(),
  // Efí sends a single time for a return (devolução) of a sent Pix.
  horario: z
    .union([
      Time.transform((liquidacao) => ({ liquidacao, solicitacao: undefined })),
      z.object({ solicitacao: Time.optional(), liquidacao: Time.optional() }),
    ])
    .optional(),
});
export type Devolucao = z.output<typeof Devolucao>;
export const DevolucaoBody = Devolucao;

export const PixBody = z.object({
  endToEndId: z.string(),
  txid: z.string().optional(),
  valor: Valor,
  chave: z.string().optional(),
  horario: Time,
  devolucoes: z.array(Devolucao).default([]),
  gnExtras: z
    .object({
      tarifa: Valor.optional().catch(undefined),
      pagador: z
        .object({ nome: z.string().optional(), cpf: z.string().optional(), cnpj: z.string().optional() })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});
export type PixBody = z.output<typeof PixBody>;

/** An id or a text that Efí documents as text and its SDK as a number. */
const TextOrNumber = z.union([z.string(), z.number().transform(String)]);

/**
 * A claim of a payer (Efí, `GET /v2/gn/infracoes`). `valor` is documented without decimals and without its unit. It is
 * read as reais: if it were centavos, it would be too large by a hundred, and no more is blocked than was paid.
 */
export const InfracaoBody = z.object({
  idInfracao: TextOrNumber.pipe(z.string().regex(/^[\w-]{1,64}$/u)),
  endToEndId: z.string(),
  valor: TextOrNumber.pipe(Valor),
  status: z.string(),
  razao: optional(z.string()),
  tipoSituacao: optional(z.string()),
  tipoFraude: optional(z.string()),
  comentario: optional(z.string()),
  defesa: optional(z.string()),
  dadosAnalise: z.object({ prazoFinalizacao: Time, recebimentoDefesa: optional(Time) }),
  criadoEm: Time,
});
export type InfracaoBody = z.output<typeof InfracaoBody>;

export const CobBody = z.object({
  txid: z.string(),
  status: z.string(),
  chave: optional(z.string()),
  valor: optional(z.object({ original: optional(Valor) })),
  location: z.string().optional(),
  loc: z.object({ location: z.string().optional() }).optional(),
  pixCopiaECola: z.string().optional(),
  pix: z.array(PixBody).default([]),
});
export type CobBody = z.output<typeof CobBody>;

export const LocRecBody = z.object({ id: z.int(), location: z.string(), idRec: z.string().optional() });

const Atualizacao = z.array(z.object({ status: z.string(), data: Time })).default([]);
const Encerramento = z
  .object({
    cancelamento: z
      .object({ solicitante: z.string().optional(), codigo: z.string().optional(), descricao: z.string().optional() })
      .optional(),
    rejeicao: z.object({ codigo: z.string().optional(), descricao: z.string().optional() }).optional(),
  })
  .optional();

export const RecBody = z.object({
  idRec: z.string(),
  status: z.string(),
  vinculo: z
    .object({
      contrato: optional(z.string()),
      devedor: optional(z.object({ cpf: optional(z.string()), cnpj: optional(z.string()) })),
    })
    .optional(),
  calendario: optional(
    z.object({
      dataInicial: optional(z.string()),
      dataFinal: optional(z.string()),
      periodicidade: optional(z.string()),
    }),
  ),
  politicaRetentativa: optional(z.string()),
  // Some banks send 0.00 when there is no amount.
  valor: optional(
    z.object({
      valorRec: Valor.optional().catch(undefined),
      valorMinimoRecebedor: Valor.optional().catch(undefined),
    }),
  ),
  loc: z.object({ id: z.int().optional(), location: z.string() }).optional(),
  dadosQR: z.object({ jornada: z.string().optional(), pixCopiaECola: z.string().optional() }).optional(),
  pagador: z
    .object({
      cpf: z.string().optional(),
      cnpj: z.string().optional(),
      nome: z.string().optional(),
      ispbParticipante: z.string().optional(),
    })
    .optional(),
  encerramento: Encerramento,
  atualizacao: Atualizacao,
});
export type RecBody = z.output<typeof RecBody>;

const Tentativa = z.object({
  tipo: z.string(),
  status: z.string(),
  dataLiquidacao: z.iso.date(),
  endToEndId: z.string().optional(),
  rejeicao: z.object({ codigo: z.string().optional() }).optional(),
  encerramento: Encerramento,
  atualizacao: Atualizacao,
});
export type Tentativa = z.output<typeof Tentativa>;
export const CobrBody = z.object({
  txid: z.string(),
  idRec: z.string(),
  status: z.string(),
  calendario: optional(z.object({ dataDeVencimento: optional(z.string()) })),
  valor: optional(z.object({ original: optional(Valor) })),
  tentativas: z.array(Tentativa).default([]),
  encerramento: Encerramento,
  atualizacao: Atualizacao,
});
export type CobrBody = z.output<typeof CobrBody>;

/** A sent Pix of Efí. Efí's documentation and SDK give the end-to-end id different names. */
export const SentBody = z.object({
  idEnvio: z.string().optional(),
  endToEndId: z.string().optional(),
  e2eId: z.string().optional(),
  valor: Valor,
  status: z.string(),
  horario: z.object({ solicitacao: Time.optional(), liquidacao: Time.optional() }).optional(),
  motivo: z.string().optional(),
  devolucoes: z.array(Devolucao).default([]),
  gnExtras: z
    .object({
      tarifa: Valor.optional().catch(undefined),
      erro: z.object({ codigo: z.string().optional(), motivo: z.string().optional() }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});
export type SentBody = z.output<typeof SentBody>;

/** `POST /v2/gn/qrcodes/detalhar`. */
export const DetailsBody = z.object({
  txid: z.string(),
  status: z.string().optional(),
  valor: z.object({ final: Valor.optional(), original: Valor.optional() }).optional(),
  chave: z.string(),
  recebedor: z
    .object({ nome: z.string().optional(), cpf: z.string().optional(), cnpj: z.string().optional() })
    .optional(),
});

/**
 * Response of the same endpoint for a charge of Pix Saque or Pix Troco: `valor.retirada` has the cash, as `saque` or
 * `troco`.
 */
export const CashOutBody = z.object({
  valor: z.object({
    retirada: z
      .looseObject({})
      .refine((cash) => Object.values(cash).some((part) => part !== null && part !== undefined)),
  }),
});

export const BalanceBody = z.object({ saldo: z.string() });

/** Members of a list besides its items. */
export const Page = z.object({ parametros: z.object({ paginacao: z.object({ quantidadeDePaginas: z.int() }) }) });
export const RecsBody = Page.extend({ recs: z.array(RecBody).default([]) });

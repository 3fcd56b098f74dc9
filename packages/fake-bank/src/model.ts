import type { Instant, LocalDate } from './time.ts';

/** Records of the archive, by kind. Members have the names of API Pix 2.9 and of Efí's payouts. */
export type Kinds = {
  readonly client: Client;
  readonly token: Token;
  /** Charges of clients and of other banks, by the token at the end of their location. */
  readonly location: { readonly client: string; readonly txid: string } | ForeignCharge;
  /** DICT keys whose owner or state was set, by key. */
  readonly key: DirectoryKey;
  readonly cob: Cob;
  readonly pix: Pix;
  readonly infracao: Infracao;
  /** Locations of recs by the digits of their id. */
  readonly locrec: RecLocation;
  readonly rec: Rec;
  readonly cobr: CobR;
  readonly payout: Payout;
  /** Webhooks by `pix:` and the key, `rec`, or `cobr`. */
  readonly webhook: Webhook;
};

/** An account of a client, with its key. */
type Account = {
  readonly chave: string;
  readonly agencia: string;
  readonly conta: string;
  readonly tipoConta: 'CORRENTE' | 'POUPANCA' | 'PAGAMENTO';
};

/** A company with a contract at this bank. */
export type Client = {
  readonly id: string;
  readonly secret: string;
  readonly nome: string;
  readonly cnpj: string;
  readonly accounts: readonly Account[];
  /** Fingerprints of its certificates, newest last. */
  readonly fingerprints: readonly string[];
  readonly scopes: readonly string[];
  /** Balance of all its accounts together, centavos, as in `GET /v2/gn/saldo`. */
  readonly balance: number;
  /** How far its clock is ahead of that of the machine, in milliseconds. */
  readonly clockAheadMs: number;
  /** Refuses payouts until the payer's key has a webhook, as Efí does. */
  readonly webhookRequired: boolean;
};

/** A charge at another bank, for payouts by its code. */
type ForeignCharge = {
  readonly txid: string;
  readonly chave: string;
  readonly valor: string;
  readonly recebedor: Person;
  readonly criacao: Instant;
};

/** A key whose owner or state was set. A payment to it may be refused; a payment to any other valid key is accepted. */
type DirectoryKey = Person & {
  readonly state: 'FOUND' | 'UNKNOWN' | 'BLOCKED' | 'DENIED';
};

export type Token = {
  readonly client: string;
  readonly fingerprint: string;
  readonly scopes: readonly string[];
  /** Expiry by the machine's clock, epoch milliseconds. */
  readonly expiresAt: number;
};

type Person = { readonly nome?: string; readonly cpf?: string; readonly cnpj?: string };

/** A charge for immediate payment. */
export type Cob = {
  readonly txid: string;
  readonly revisao: number;
  readonly status: 'ATIVA' | 'CONCLUIDA' | 'REMOVIDA_PELO_USUARIO_RECEBEDOR' | 'REMOVIDA_PELO_PSP';
  readonly calendario: { readonly criacao: Instant; readonly expiracao: number };
  readonly devedor?: Person;
  readonly valor: { readonly original: string };
  readonly chave: string;
  readonly solicitacaoPagador?: string;
  readonly infoAdicionais?: readonly { readonly nome: string; readonly valor: string }[];
  readonly loc: { readonly id: number; readonly location: string; readonly tipoCob: 'cob'; readonly criacao: Instant };
  readonly pixCopiaECola: string;
  /** Ids of the payments that came, oldest first. */
  readonly payments: readonly string[];
};

/** A received Pix, with its devoluções. */
export type Pix = {
  readonly endToEndId: string;
  readonly txid?: string;
  readonly valor: string;
  readonly chave: string;
  readonly horario: Instant;
  readonly infoPagador?: string;
  readonly pagador: Person;
  readonly devolucoes: readonly Devolucao[];
  /** Fee that Efí takes from the payment. */
  readonly tarifa?: string;
};

export type Devolucao = {
  readonly id: string;
  readonly rtrId: string;
  readonly valor: string;
  readonly natureza: 'ORIGINAL' | 'RETIRADA' | 'MED_OPERACIONAL' | 'MED_FRAUDE' | 'MED_PIX_AUTOMATICO';
  readonly descricao?: string;
  readonly horario: { readonly solicitacao: Instant; readonly liquidacao?: Instant };
  readonly status: 'EM_PROCESSAMENTO' | 'DEVOLVIDO' | 'NAO_REALIZADO';
  readonly motivo?: string;
};

/** A party of a payment that a claim names. */
export type ClaimParty = {
  readonly nomeParticipante: string;
  readonly conta: string;
  readonly nome: string;
  readonly documento: string;
};

/** A claim about a received Pix by the special mechanism (MED), by Efí's API. */
export type Infracao = {
  readonly idInfracao: string;
  readonly endToEndId: string;
  readonly protocolo: string;
  readonly dataTransacao: Instant;
  readonly valor: string;
  readonly chave?: string;
  readonly status: 'ABERTA' | 'ACEITA' | 'CANCELADA_EFI' | 'EM_DEFESA' | 'REJEITADA';
  readonly razao: string;
  readonly tipoSituacao?: 'golpe' | 'aquisição da conta' | 'coerção' | 'acesso fraudulento' | 'outro' | 'desconhecido';
  readonly tipoFraude?: string;
  readonly comentario?: string;
  /** Text of the defence. */
  readonly defesa?: string;
  readonly justificativaAnalista?: string;
  readonly identificadorTicket: readonly number[];
  readonly dadosAnalise: {
    readonly abertura: Instant;
    readonly prazoFinalizacao: Instant;
    readonly recebimentoDefesa?: Instant;
    readonly finalizacao?: Instant;
  };
  readonly origem: ClaimParty;
  readonly destino: ClaimParty;
  readonly criadoEm: Instant;
  readonly atualizadoEm: Instant;
  /** Nature of the return if the claim is accepted; the API does not show it. */
  readonly natureza: 'MED_OPERACIONAL' | 'MED_FRAUDE';
  /** The receiver's own view in its defence; the API does not show it. */
  readonly analise?: 'aceito' | 'rejeitado';
};

export type RecLocation = {
  readonly id: number;
  readonly location: string;
  readonly criacao: Instant;
  readonly idRec?: string;
};

type Update<Status> = { readonly status: Status; readonly data: Instant };
type Requester = 'PSP_PAGADOR' | 'USUARIO_PAGADOR' | 'PSP_RECEBEDOR' | 'USUARIO_RECEBEDOR';
type Cancellation = { readonly solicitante: Requester; readonly codigo: string; readonly descricao: string };
type Rejection = { readonly codigo: string; readonly descricao: string };
type Closing = { readonly cancelamento?: Cancellation; readonly rejeicao?: Rejection };

export type RecStatus = 'CRIADA' | 'APROVADA' | 'REJEITADA' | 'EXPIRADA' | 'CANCELADA';

/** A recurrence of PIX Automático. */
export type Rec = {
  readonly idRec: string;
  readonly status: RecStatus;
  readonly vinculo: { readonly contrato: string; readonly devedor: Person; readonly objeto?: string };
  readonly calendario: {
    readonly dataInicial: LocalDate;
    readonly dataFinal?: LocalDate;
    readonly periodicidade: 'SEMANAL' | 'MENSAL' | 'TRIMESTRAL' | 'SEMESTRAL' | 'ANUAL';
  };
  readonly valor?: { readonly valorRec?: string; readonly valorMinimoRecebedor?: string };
  readonly politicaRetentativa: 'NAO_PERMITE' | 'PERMITE_3R_7D';
  readonly recebedor: { readonly cnpj: string; readonly nome: string; readonly convenio?: string };
  readonly loc?: RecLocation;
  readonly ativacao: { readonly tipoJornada: string; readonly dadosJornada?: { readonly txid: string } };
  readonly pagador?: Person & { readonly ispbParticipante: string; readonly codMun: string };
  readonly atualizacao: readonly Update<RecStatus>[];
  readonly encerramento?: Closing;
  readonly criacao: Instant;
};

export type CobRStatus = 'CRIADA' | 'ATIVA' | 'CONCLUIDA' | 'EXPIRADA' | 'REJEITADA' | 'CANCELADA';
export type AttemptStatus = 'SOLICITADA' | 'AGENDADA' | 'PAGA' | 'REJEITADA' | 'EXPIRADA' | 'CANCELADA';

export type Attempt = {
  readonly tipo: 'AGND' | 'NTAG' | 'RIFL';
  readonly status: AttemptStatus;
  readonly dataLiquidacao: LocalDate;
  readonly endToEndId: string;
  readonly atualizacao: readonly Update<AttemptStatus>[];
  readonly rejeicao?: Rejection;
};

/** A recurring charge, with its attempts. */
export type CobR = {
  readonly txid: string;
  readonly idRec: string;
  readonly status: CobRStatus;
  readonly infoAdicional?: string;
  readonly calendario: { readonly criacao: LocalDate; readonly dataDeVencimento: LocalDate };
  readonly valor: { readonly original: string };
  readonly ajusteDiaUtil: boolean;
  readonly politicaRetentativa: Rec['politicaRetentativa'];
  readonly devedor?: Readonly<Record<string, string>>;
  readonly recebedor: Omit<Account, 'chave' | 'agencia'> & {
    readonly agencia?: string;
    readonly cnpj: string;
    readonly nome: string;
  };
  readonly atualizacao: readonly Update<CobRStatus>[];
  readonly tentativas: readonly Attempt[];
  readonly encerramento?: Closing;
  readonly criacao: Instant;
  /** Ids of the payments that came, oldest first. */
  readonly payments: readonly string[];
};

/** A Pix that the client sends, by Efí's API. */
export type Payout = {
  readonly idEnvio: string;
  readonly endToEndId: string;
  readonly valor: string;
  /** The payer's key, whose webhook is called. */
  readonly chave: string;
  readonly infoPagador?: string;
  readonly favorecido: { readonly chave: string } | { readonly contaBanco: Readonly<Record<string, string>> };
  /** `txid` of the code that it pays. */
  readonly txid?: string;
  readonly status: 'EM_PROCESSAMENTO' | 'REALIZADO' | 'NAO_REALIZADO';
  readonly horario: { readonly solicitacao: Instant; readonly liquidacao?: Instant };
  readonly devolucoes: readonly { readonly rtrId: string; readonly valor: string; readonly horario: Instant }[];
};

type Webhook = { readonly webhookUrl: string; readonly criacao: Instant };

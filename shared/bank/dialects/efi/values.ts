import { enumeration } from '#shared/bank/calls/enumeration.ts';
import type { ChargeState } from '#shared/bank/ports/charges.ts';
import type { Charge } from '#shared/bank/ports/directory.ts';
import type { ListedClaim } from '#shared/bank/ports/reader.ts';
import type { DisputeKind } from '#shared/core/dispute-kind.ts';
import type { PaymentState } from '#shared/bank/ports/payouts.ts';
import type { RecurrenceState } from '#shared/bank/ports/recurrences.ts';
import type { ChargeAttempt } from '#shared/bank/ports/recurring-charges.ts';
import type { RefundState } from '#shared/bank/ports/refunds.ts';

/** The enumerations of API Pix and Efí. */
export const values = {
  cobStatus: enumeration<ChargeState['status']>('cob.status', {
    ATIVA: 'ACTIVE',
    CONCLUIDA: 'PAID',
    REMOVIDA_PELO_USUARIO_RECEBEDOR: 'REMOVED',
    REMOVIDA_PELO_PSP: 'DROPPED',
  }),
  /** Status of a charge in a QR code: that of a cob or cobv, and Efí's `EXPIRADA`. */
  codeStatus: enumeration<Exclude<Charge['state'], 'CASH_OUT'>>('detalhar.status', {
    ATIVA: 'OPEN',
    EXPIRADA: 'EXPIRED',
    CONCLUIDA: 'NOT_PAYABLE',
    REMOVIDA_PELO_USUARIO_RECEBEDOR: 'NOT_PAYABLE',
    REMOVIDA_PELO_PSP: 'NOT_PAYABLE',
  }),
  devolucaoStatus: enumeration<RefundState['status']>('devolucao.status', {
    EM_PROCESSAMENTO: 'PENDING',
    DEVOLVIDO: 'SETTLED',
    NAO_REALIZADO: 'FAILED',
  }),
  /** Natures of a return: requested by the receiver, or taken back by the banks, and why. */
  devolucaoNatureza: enumeration<'REQUESTED' | DisputeKind>('devolucao.natureza', {
    ORIGINAL: 'REQUESTED',
    RETIRADA: 'REQUESTED',
    MED_OPERACIONAL: 'OPERATIONAL_ERROR',
    MED_FRAUDE: 'FRAUD',
    MED_PIX_AUTOMATICO: 'OPERATIONAL_ERROR',
  }),
  infracaoStatus: enumeration<ListedClaim['status']>('infracao.status', {
    ABERTA: 'OPEN',
    EM_DEFESA: 'DEFENDED',
    ACEITA: 'ACCEPTED',
    REJEITADA: 'REJECTED',
    CANCELADA_EFI: 'CANCELED',
  }),
  sentStatus: enumeration<Exclude<PaymentState['status'], 'AWAITS_APPROVAL' | 'CANCELED'>>('enviado.status', {
    EM_PROCESSAMENTO: 'ACCEPTED',
    REALIZADO: 'PAID',
    NAO_REALIZADO: 'ERROR',
  }),
  recStatus: enumeration<RecurrenceState['history'][number]['status']>('rec.status', {
    CRIADA: 'CREATED',
    APROVADA: 'APPROVED',
    REJEITADA: 'REJECTED',
    CANCELADA: 'CANCELED',
    EXPIRADA: 'EXPIRED',
  }),
  /** Status of a cobr: only its cancellation decides anything, its attempts have states of their own. */
  cobrStatus: enumeration<'CANCELED' | 'OTHER'>('cobr.status', {
    CRIADA: 'OTHER',
    ATIVA: 'OTHER',
    CONCLUIDA: 'OTHER',
    EXPIRADA: 'OTHER',
    REJEITADA: 'OTHER',
    CANCELADA: 'CANCELED',
  }),
  attemptTipo: enumeration<ChargeAttempt['kind']>('tentativa.tipo', {
    AGND: 'FIRST_ATTEMPT',
    NTAG: 'NEW_ATTEMPT_AFTER_DUE_DATE',
    RIFL: 'RESEND_DUE_TO_SETTLEMENT_ERROR',
  }),
  attemptStatus: enumeration<ChargeAttempt['history'][number]['status']>('tentativa.status', {
    SOLICITADA: 'REQUESTED',
    AGENDADA: 'SCHEDULED',
    PAGA: 'PAID',
    REJEITADA: 'REJECTED',
    EXPIRADA: 'EXPIRED',
    CANCELADA: 'CANCELED',
  }),
} as const;

import type * as z from 'zod';
import type {
  ChargeCancellationNotification,
  CreditNotification,
  CreditReturnNotification,
  DisputeNotification,
  PayInNotification,
  PayoutNotification,
  RefundNotification,
  ScheduledPaymentNotification,
  SubscriptionNotification,
} from '#shared/webhooks/notification.ts';
import type { Text } from '../drawings/languages.ts';

type Notification =
  | typeof ChargeCancellationNotification
  | typeof CreditNotification
  | typeof CreditReturnNotification
  | typeof DisputeNotification
  | typeof PayInNotification
  | typeof PayoutNotification
  | typeof RefundNotification
  | typeof ScheduledPaymentNotification
  | typeof SubscriptionNotification;

/** Every event of a notification, as the layouts name them. */
export type NotifiedEvent = z.output<Notification>['event'];

/** When an event is sent. An event without a sentence does not compile. */
export const eventMeanings: Readonly<Record<NotifiedEvent, Text>> = {
  'ORDER-PAYIN.PAID': {
    en: 'The payer paid, or a credit was assigned to the pay-in.',
    'pt-BR': 'O pagador pagou, ou um crédito foi atribuído ao recebimento.',
  },
  'ORDER-PAYIN.EXPIRED': {
    en: 'The QR code expired unpaid.',
    'pt-BR': 'O QR Code expirou sem pagamento.',
  },
  'ORDER-PAYIN.CANCELED': {
    en: 'You canceled the pay-in, or its bank did.',
    'pt-BR': 'Você cancelou o recebimento, ou o banco o fez.',
  },
  'ORDER-PAYIN.ERROR': {
    en: 'The bank refused the pay-in.',
    'pt-BR': 'O banco recusou o recebimento.',
  },
  'ORDER-PAYIN.REFUNDED': {
    en: 'A refund settled, whole or in part.',
    'pt-BR': 'Uma devolução foi liquidada, total ou parcial.',
  },
  'ORDER-PAYIN.REFUND_FAILED': {
    en: 'The bank did not make a refund; the pay-in stays paid.',
    'pt-BR': 'O banco não fez uma devolução; o recebimento continua pago.',
  },
  'ORDER-PAYOUT.PAID': {
    en: 'The payout was paid; all payments of a batch were.',
    'pt-BR': 'O pagamento foi pago; de um lote, todas as partes.',
  },
  'ORDER-PAYOUT.CANCELED': {
    en: 'The payout was canceled; its amount is back in the account.',
    'pt-BR': 'O pagamento foi cancelado; o valor voltou à conta.',
  },
  'ORDER-PAYOUT.ERROR': {
    en: 'The payout failed. **Of a batch some payments may have been paid:** read `batch`.',
    'pt-BR': 'O pagamento falhou. **De um lote, partes podem ter sido pagas:** leia `batch`.',
  },
  'CREDIT.RECEIVED': {
    en: 'Money came that no open charge expected.',
    'pt-BR': 'Chegou dinheiro que nenhuma cobrança aberta esperava.',
  },
  'CREDIT.RETURNED': {
    en: 'A return of a credit settled, whole or in part.',
    'pt-BR': 'A devolução de um crédito foi liquidada, total ou parcial.',
  },
  'CREDIT.RETURN_FAILED': {
    en: 'The bank did not make a return; its amount is available again.',
    'pt-BR': 'O banco não fez uma devolução; o valor está disponível de novo.',
  },
  'DISPUTE.OPENED': {
    en: 'A payer claims a payment back; the money is blocked.',
    'pt-BR': 'Um pagador pede um pagamento de volta; o dinheiro fica bloqueado.',
  },
  'DISPUTE.DEFENDED': {
    en: 'The bank has your defence.',
    'pt-BR': 'O banco tem a sua defesa.',
  },
  'DISPUTE.DUE_SOON': {
    en: 'The time for a defence ends soon, and there is none.',
    'pt-BR': 'O prazo da defesa termina em breve, e não há nenhuma.',
  },
  'DISPUTE.ACCEPTED': {
    en: 'The bank decided for the payer: `returnedAmount` went back.',
    'pt-BR': 'O banco decidiu a favor do pagador: `returnedAmount` voltou a ele.',
  },
  'DISPUTE.REJECTED': {
    en: 'The bank decided for you: the money is available again.',
    'pt-BR': 'O banco decidiu a seu favor: o dinheiro está disponível de novo.',
  },
  'DISPUTE.CANCELED': {
    en: 'The claim was withdrawn: the money is available again.',
    'pt-BR': 'O pedido foi retirado: o dinheiro está disponível de novo.',
  },
  'SUBSCRIPTION.ACCEPTED': {
    en: 'The payer authorized the subscription.',
    'pt-BR': 'O pagador autorizou a recorrência.',
  },
  'SUBSCRIPTION.REJECTED': {
    en: 'The payer refused, or the first charge expired unpaid.',
    'pt-BR': 'O pagador recusou, ou a primeira cobrança expirou sem pagamento.',
  },
  'SUBSCRIPTION.CANCELED': {
    en: 'You, the payer or a bank ended it, or its time is over.',
    'pt-BR': 'Você, o pagador ou um banco a encerrou, ou seu prazo acabou.',
  },
  'SUBSCRIPTION.ERROR': {
    en: 'The bank refused the subscription at its creation.',
    'pt-BR': 'O banco recusou a recorrência na criação.',
  },
  'SUBSCRIPTION.CANCELLATION.REJECTED': {
    en: 'The bank refused your request to cancel; the subscription goes on.',
    'pt-BR': 'O banco recusou o seu pedido de cancelamento; a recorrência continua.',
  },
  'SUBSCRIPTION.SCHEDULED_PAYMENT.PENDING': {
    en: 'The payment is ready to be sent to the bank.',
    'pt-BR': 'A cobrança está pronta para ser enviada ao banco.',
  },
  'SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED': {
    en: 'The payer’s bank scheduled the payment.',
    'pt-BR': 'O banco do pagador agendou a cobrança.',
  },
  'SUBSCRIPTION.SCHEDULED_PAYMENT.REJECTED': {
    en: 'The payer’s bank refused to schedule the payment.',
    'pt-BR': 'O banco do pagador recusou agendar a cobrança.',
  },
  'SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED': {
    en: 'The payment settled; `orderId` is its pay-in.',
    'pt-BR': 'A cobrança foi liquidada; `orderId` é o seu recebimento.',
  },
  'SUBSCRIPTION.SCHEDULED_PAYMENT.ERROR': {
    en: 'The payment failed; `errorCode` says why.',
    'pt-BR': 'A cobrança falhou; `errorCode` diz por quê.',
  },
  'SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.PENDING': {
    en: 'A request to cancel the payment was made.',
    'pt-BR': 'Foi pedido o cancelamento da cobrança.',
  },
  'SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.ACCEPTED': {
    en: 'The payment is canceled.',
    'pt-BR': 'A cobrança está cancelada.',
  },
  'SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.REJECTED': {
    en: 'A request to cancel failed; the payment goes on or ended otherwise.',
    'pt-BR': 'Um pedido de cancelamento falhou; a cobrança continua ou terminou de outra forma.',
  },
};

import type { Resource } from '#functions/transitions.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { RefundPayIn } from '#functions/pay-ins/refund/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { ConfirmKey } from '#functions/pix-keys/confirm/contract.ts';
import { CreateKey } from '#functions/pix-keys/create/contract.ts';
import { CancelScheduledPayment } from '#functions/scheduled-payments/cancel/contract.ts';
import { CreateScheduledPayment } from '#functions/scheduled-payments/create/contract.ts';
import { CancelSubscription } from '#functions/subscriptions/cancel/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import type { Contract } from '#shared/contract/contract.ts';
import type { Text } from './languages.ts';

/**
 * A transition by its trigger. `label`: the bank's event, or when the service acts. Without a label the step before
 * causes the transition.
 */
type Move = {
  readonly moves: Resource;
  readonly trigger: string;
  readonly by: 'bank' | 'service';
  readonly label?: Text;
};

/**
 * A call of the partner. `begins`: the resources that it creates. `asks`: the service's request to the bank. `then`:
 * the transitions before the service responds.
 */
type Call = {
  readonly calls: Contract;
  readonly begins?: readonly Resource[];
  readonly asks?: Text;
  readonly then?: readonly Move[];
};

/** A resource that the service creates in a status. */
type Creation = { readonly makes: Resource; readonly as: string };

type Step = Call | Move | Creation;
export type Journey = {
  readonly name: string;
  readonly title: Text;
  /** Statuses of the resources that exist before the journey. */
  readonly before?: Partial<Readonly<Record<Resource, string>>>;
  readonly steps: readonly Step[];
};

const call = (calls: Contract, more: Omit<Call, 'calls'> = {}): Call => ({ calls, ...more });
const bank = (moves: Resource, trigger: string, en: string, pt: string): Move => ({
  moves,
  trigger,
  by: 'bank',
  label: { en, 'pt-BR': pt },
});
const service = (moves: Resource, trigger: string, label?: Text): Move => ({
  moves,
  trigger,
  by: 'service',
  ...(label && { label }),
});

const payInPaid = bank('PAY_IN', 'PAID', 'the payer pays', 'o pagador paga');
const accepted = bank('SUBSCRIPTION', 'ACCEPTED', 'the payer authorizes', 'o pagador autoriza');
const recurrence: Text = { en: 'recurrence', 'pt-BR': 'recorrência' };
const subscribe = (...begins: readonly Resource[]): Call =>
  call(CreateSubscription, { begins, asks: recurrence, then: [service('SUBSCRIPTION', 'PENDING_AUTHORIZATION')] });
const refunded: readonly Step[] = [
  call(RefundPayIn, { begins: ['REFUND'], asks: { en: 'refund', 'pt-BR': 'devolução' } }),
  bank('REFUND', 'SETTLED', 'refund settled', 'devolução liquidada'),
  { moves: 'PAY_IN', trigger: 'REFUNDED', by: 'bank' },
];
const scheduled: readonly Step[] = [
  call(CreateScheduledPayment, { begins: ['SCHEDULED_PAYMENT'] }),
  service('SCHEDULED_PAYMENT', 'WINDOW_OPENED', {
    en: 'ten days before the due date',
    'pt-BR': 'dez dias antes do vencimento',
  }),
  bank('SCHEDULED_PAYMENT', 'ACCEPTED', 'scheduled', 'agendado'),
];

/** The journeys of a partner, call by call. Statuses and notifications follow from the tables. */
export const journeys: readonly Journey[] = [
  {
    name: 'pay-in',
    title: { en: 'A pay-in and its refund', 'pt-BR': 'Um recebimento e sua devolução' },
    steps: [
      call(CreatePayIn, { begins: ['PAY_IN'], asks: { en: 'QR code', 'pt-BR': 'QR Code' } }),
      payInPaid,
      ...refunded,
    ],
  },
  {
    name: 'payout',
    title: { en: 'A payout', 'pt-BR': 'Um pagamento' },
    steps: [
      call(CreatePayout, { begins: ['PAYOUT'], asks: { en: 'PIX or TED', 'pt-BR': 'Pix ou TED' } }),
      bank('PAYOUT', 'PAID', 'settled', 'liquidado'),
    ],
  },
  {
    name: 'subscription',
    title: { en: 'Journey 2: authorize by QR code', 'pt-BR': 'Jornada 2: autorizar por QR Code' },
    steps: [subscribe('SUBSCRIPTION'), accepted],
  },
  {
    name: 'subscription-with-payment',
    title: {
      en: 'Journey 3: one QR code pays and authorizes',
      'pt-BR': 'Jornada 3: um QR Code paga e autoriza',
    },
    steps: [subscribe('SUBSCRIPTION', 'PAY_IN'), payInPaid, accepted],
  },
  {
    name: 'scheduled-payment',
    title: { en: 'A charge of a subscription', 'pt-BR': 'Uma cobrança da recorrência' },
    steps: [
      ...scheduled,
      bank('SCHEDULED_PAYMENT', 'COMPLETED', 'settled on its day', 'liquidada no dia'),
      { makes: 'PAY_IN', as: 'PAID' },
    ],
  },
  {
    name: 'cancellations',
    before: { SUBSCRIPTION: 'ACCEPTED' },
    title: { en: 'Cancel a charge, then the subscription', 'pt-BR': 'Cancelar uma cobrança, depois a recorrência' },
    steps: [
      ...scheduled,
      call(CancelScheduledPayment, { asks: { en: 'cancellation', 'pt-BR': 'cancelamento' } }),
      bank('SCHEDULED_PAYMENT', 'CANCELLATION_PENDING', 'request taken', 'pedido recebido'),
      bank('SCHEDULED_PAYMENT', 'CANCELED', 'charge canceled', 'cobrança cancelada'),
      call(CancelSubscription, { asks: { en: 'end of the recurrence', 'pt-BR': 'fim da recorrência' } }),
      bank('SUBSCRIPTION', 'CANCELED', 'recurrence ended', 'recorrência encerrada'),
    ],
  },
  {
    name: 'pix-key',
    title: { en: 'A PIX key and its code', 'pt-BR': 'Uma chave Pix e seu código' },
    steps: [
      call(CreateKey, { begins: ['KEY_VALIDATION'] }),
      call(ConfirmKey, { then: [service('KEY_VALIDATION', 'CONFIRMED')] }),
    ],
  },
];

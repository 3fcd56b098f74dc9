import type { Text } from '../drawings/languages.ts';

/** A word for a term that texts do not use. `unless`: a sentence with it means another thing by the word. */
export type Rejected = { readonly word: RegExp; readonly unless?: RegExp };

/** A term that partners meet: its word in each language, what it means, and words that are not used for it. */
type PartnerTerm = {
  readonly word: Text;
  readonly meaning: Text;
  readonly rejected?: { readonly en?: readonly Rejected[]; readonly 'pt-BR'?: readonly Rejected[] };
};

/** The terms of the README and the guide, in both languages. The Portuguese words are those of the BCB. */
export const partnerTerms: readonly PartnerTerm[] = [
  {
    word: { en: 'company', 'pt-BR': 'empresa' },
    meaning: {
      en: 'a partner of this service, with its API clients and accounts; no company sees the data of another',
      'pt-BR': 'um parceiro deste serviço, com seus clientes de API e contas; nenhuma empresa vê os dados de outra',
    },
  },
  {
    word: { en: 'subscription', 'pt-BR': 'recorrência' },
    meaning: {
      en: 'a payer’s authorization of recurring charges (PIX Automático)',
      'pt-BR': 'a autorização de um pagador para cobranças recorrentes (Pix Automático)',
    },
    rejected: {
      en: [{ word: /\bmandates?\b/iu }],
      // Also a signature.
      'pt-BR': [
        { word: /\bassinaturas?\b/iu, unless: /bytes|calcula|segredo|válida|verificação|corpo/iu },
        { word: /\bassinantes?\b|\bmandatos?\b|\bsubscriptions?\b/iu },
      ],
    },
  },
  {
    word: { en: 'scheduled payment', 'pt-BR': 'cobrança agendada' },
    meaning: {
      en: 'one charge of a subscription, on its due date',
      'pt-BR': 'uma cobrança de uma recorrência, no seu vencimento',
    },
    rejected: { 'pt-BR': [{ word: /\bpagamentos? agendados?\b|\bcobranças? programadas?\b/iu }] },
  },
  {
    word: { en: 'pay-in', 'pt-BR': 'recebimento' },
    meaning: {
      en: 'money that a payer sends to a company’s account by PIX',
      'pt-BR': 'dinheiro que um pagador envia por Pix à conta de uma empresa',
    },
    rejected: {
      en: [{ word: /\bcash-?ins?\b|\bpayins?\b/iu }],
      'pt-BR': [{ word: /\bcash-?ins?\b|\bpay-?ins?\b/iu }],
    },
  },
  {
    word: { en: 'refund', 'pt-BR': 'devolução' },
    meaning: {
      en: 'a pay-in that is sent back to its payer, whole or in part',
      'pt-BR': 'um recebimento devolvido ao pagador, inteiro ou em parte',
    },
    rejected: {
      en: [{ word: /\breversals?\b/iu }],
      'pt-BR': [{ word: /\breembols\w+|\bestorn\w+|\brefunds?\b/iu }],
    },
  },
  {
    word: { en: 'credit', 'pt-BR': 'crédito' },
    meaning: {
      en: 'money that a payer sends and that no open charge expects; the partner returns it or assigns it to a pay-in',
      'pt-BR':
        'dinheiro que um pagador envia e que nenhuma cobrança aberta espera; o parceiro o devolve ou o atribui a um recebimento',
    },
  },
  {
    word: { en: 'dispute', 'pt-BR': 'contestação' },
    meaning: {
      en: 'a payer’s claim to a received payment (MED); its money is blocked until the bank decides',
      'pt-BR': 'o pedido de um pagador por um pagamento recebido (MED); o dinheiro fica bloqueado até o banco decidir',
    },
    rejected: {
      en: [{ word: /\bcharge-?backs?\b/iu }],
      'pt-BR': [{ word: /\bdisputas?\b|\bcharge-?backs?\b/iu }],
    },
  },
  {
    word: { en: 'payout', 'pt-BR': 'pagamento' },
    meaning: {
      en: 'money that leaves a company’s account by PIX or TED; above a limit a batch of PIX payments',
      'pt-BR': 'dinheiro que sai da conta de uma empresa por Pix ou TED; acima de um limite, um lote de pagamentos Pix',
    },
    rejected: {
      en: [{ word: /\bcash-?outs?\b|\bpay-outs?\b|\bwithdrawals? of money\b/iu }],
      'pt-BR': [
        { word: /\bcash-?outs?\b|\bpay-?outs?\b|\bsaídas?\b/iu },
        { word: /\bsaques?\b/iu, unless: /Pix Saque/u },
      ],
    },
  },
  {
    word: { en: 'delivery', 'pt-BR': 'entrega' },
    meaning: {
      en: 'a notification on its way to the partner, with up to five attempts',
      'pt-BR': 'uma notificação a caminho do parceiro, com até cinco tentativas',
    },
  },
  {
    word: { en: 'resend', 'pt-BR': 'reenvio' },
    meaning: {
      en: 'a charge that is sent again on its day, after a settlement error; or a notification, sent again',
      'pt-BR':
        'uma cobrança enviada de novo no seu dia, após um erro de liquidação; ou uma notificação, enviada de novo',
    },
  },
];

/** Names that Portuguese texts write as the BCB does. */
export const bcbNames: readonly { readonly name: string; readonly rejected: RegExp }[] = [
  { name: 'Pix', rejected: /\bPIX\b|\bpix\b/u },
  { name: 'QR Code', rejected: /\bQR[ -]?codes?\b|\bc[óo]digos? QR\b/u },
  { name: 'EndToEndId', rejected: /\bfim[ -]a[ -]fim\b|\bponta[ -]a[ -]ponta\b/iu },
];

/** Terms of the code and of docs/architecture.md: term, meaning, and the BCB's word where it has one. */
export const codeTerms: readonly (readonly [term: string, meaning: string, bcbWord: string])[] = [
  ['order', 'a pay-in or a payout', ''],
  [
    'charge',
    'QR code at the bank for a pay-in; in code also a scheduled payment',
    'cobrança imediata (cob), cobrança recorrente (cobr)',
  ],
  ['reference', 'the service’s id of a command at the bank, the same on every repetition', '`txid`'],
  [
    'recurrence',
    'authorization of recurring charges at the bank; the subscription is its record here',
    'recorrência (rec)',
  ],
  ['settlement error', 'failed settlement of a scheduled payment on its day', 'erro de liquidação'],
  [
    'return',
    'money of a Pix that went back, as the bank reports it; of a credit, at the partner’s request',
    'devolução (`rtrId`, `D…`)',
  ],
  ['MED', 'the mechanism by which banks take a payment back', 'Mecanismo Especial de Devolução'],
  ['defence', 'the partner’s answer to a claim', 'defesa'],
  ['end-to-end id', 'id of a payment in the SPI', '`EndToEndId`, `E…`'],
  ['key', 'PIX key of an account in the DICT', 'chave'],
  ['key code', 'six digits by which a holder confirms an e-mail or phone as key', ''],
  ['dialect', 'protocol of a bank', ''],
  ['connection', 'one client of a company at one bank', ''],
  ['capability', 'what a company’s bank can do, as data', ''],
  ['bank event', 'ids in a callback or list: something to read at the bank', ''],
  ['message', 'SQS message of a delivery’s dispatch; of an earlier dispatch it does nothing', ''],
  ['claim', 'a worker’s right to one attempt, until its lease ends', ''],
  ['circuit', 'state of an address or origin that decides whether it is called', ''],
  ['backlog', 'deliveries that wait in the table for one type, address or origin', ''],
  ['drain', 'the run that sends the backlogs of a company', ''],
  ['due work', 'an item in the due index, with its kind and the time from which a worker takes it', ''],
  ['commit', 'the one transaction of state, entries, deliveries and idempotency key', ''],
  ['entry', 'one change of a balance, never changed itself', 'lançamento'],
  [
    'available, reserved, blocked',
    'parts of a balance: free, held for open payouts and refunds, or held back',
    'saldo',
  ],
  ['issuer', 'OIDC provider whose tokens identify API clients', ''],
];

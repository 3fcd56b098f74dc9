import { plusDays, plusMonths, plusSeconds } from '#shared/core/brasilia-time.ts';
import type { LocalDate } from '#shared/core/brasilia-time.ts';
import { payInTransitions } from '#shared/pay-ins/states.ts';
import { payoutTransitions } from '#shared/payouts/states.ts';
import { scheduledPaymentTransitions } from '#shared/scheduled-payments/states.ts';
import { triggersOf } from '#shared/core/transition.ts';
import { person } from './people.ts';
import type { Moment, Wish } from './moment.ts';
import { accountOf, brl, cents, description, idOf, one, party, recent, target, unknownId } from './moment.ts';

type Make = (moment: Moment) => Wish;
type Money = { readonly accountId: string; readonly amount: string };

const frequencies = ['WEEKLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUAL', 'ANNUAL'] as const;

function cycleDate(frequency: string, start: LocalDate, cycle: number): LocalDate {
  if (frequency === 'WEEKLY') return plusDays(start, 7 * cycle);
  const months = { MONTHLY: 1, QUARTERLY: 3, SEMIANNUAL: 6, ANNUAL: 12 }[frequency] ?? 1;
  return plusMonths(start, months * cycle);
}

const paged = (moment: Moment, operationId: string, filters: Readonly<Record<string, string>>): Wish => {
  const { draws, memory } = moment;
  const known = memory.cursors.filter((cursor) => cursor.operationId === operationId);
  const cursor = draws.chance(0.3) ? one(draws, known) : undefined;
  if (cursor !== undefined) return { query: { ...cursor.query, cursor: cursor.cursor } };
  const kept = Object.fromEntries(Object.entries(filters).filter(() => draws.chance(0.4)));
  return { query: { ...kept, ...(draws.chance(0.6) && { limit: String(draws.between(1, 8)) }) } };
};
/** What finds an order: mostly nothing else beside it. */
const found = ({ draws, memory, now }: Moment): Readonly<Record<string, string>> => ({
  ...(draws.chance(0.3) && { externalId: recent(draws, memory.payIns)?.externalId ?? 'none' }),
  ...(draws.chance(0.3) && { endToEndId: one(draws, memory.endToEndIds) ?? 'E6070119020260120120012345678901' }),
  ...(draws.chance(0.3) && { createdFrom: plusSeconds(now, -draws.between(60, 90_000)) }),
});
const endpointOf = ({ draws, world, company }: Moment): string => draws.one(world.endpointsOf(company.companyId));
const paymentParams = ({ draws, memory }: Moment): Readonly<Record<string, string>> => {
  const { id = unknownId, subscriptionId = unknownId } = recent(draws, memory.scheduled) ?? {};
  return { id: subscriptionId, paymentId: id };
};
const refundable = ({ draws, memory }: Moment): string | undefined =>
  (draws.chance(0.3) ? one(draws, memory.ownCharges) : undefined) ?? recent(draws, memory.payIns)?.id;
const keyOf = ({ draws, memory, company }: Moment) =>
  (draws.chance(0.2) ? memory.keys[0] : recent(draws, memory.keys)) ?? {
    accountId: company.accounts[0] ?? unknownId,
    validationId: unknownId,
    address: '',
  };

/** A valid request of every endpoint, by its operation. */
export const requests: Readonly<Record<string, Make>> = {
  createPayIn: (moment) => ({
    key: moment.fresh,
    body: {
      externalId: `in-${moment.fresh}`,
      accountId: accountOf(moment),
      amount: brl(cents(moment.draws, 0.01, 900)),
      description: description(moment),
      payer: party(moment.draws),
      ...(moment.draws.chance(0.5) && { expiresInSeconds: moment.draws.between(60, 200_000) }),
    },
  }),
  cancelPayIn: ({ draws, memory }) => ({ params: { id: recent(draws, memory.payIns)?.id ?? unknownId } }),
  getPayIn: ({ draws, memory }) => ({ params: { id: idOf(draws, memory.payIns) } }),
  listPayIns: (moment) =>
    paged(moment, 'listPayIns', {
      ...found(moment),
      accountId: accountOf(moment),
      status: moment.draws.one(['PENDING', 'PAID', 'EXPIRED']),
    }),
  listRefunds: ({ draws, memory }) => ({ params: { id: idOf(draws, memory.payIns) } }),
  getRefundCertificate: ({ draws, memory }) => ({
    params: recent(draws, memory.refunds) ?? { id: unknownId, refundId: 'none' },
  }),
  refundPayIn: (moment) => ({
    key: moment.fresh,
    params: { id: refundable(moment) ?? unknownId },
    body: {
      ...(moment.draws.chance(0.3) && { description: description(moment) }),
      ...(moment.draws.chance(0.4) && { amount: brl(cents(moment.draws, 0.01, 90)) }),
    },
  }),
  listCredits: (moment) =>
    paged(moment, 'listCredits', { accountId: accountOf(moment), status: moment.draws.one(['OPEN', 'ASSIGNED']) }),
  getCredit: ({ draws, memory }) => ({ params: { id: idOf(draws, memory.credits) } }),
  returnCredit: (moment) => ({
    key: moment.fresh,
    params: { id: recent(moment.draws, moment.memory.credits)?.id ?? unknownId },
    body: moment.draws.chance(0.4) ? { amount: brl(cents(moment.draws, 0.01, 90)) } : {},
  }),
  assignCredit: ({ draws, memory }) => {
    const credit = recent(draws, memory.credits);
    const isFor = ({ accountId, amount }: Money): boolean =>
      accountId === credit?.accountId && amount === credit.amount;
    const orderId = (one(draws, memory.payIns.filter(isFor)) ?? recent(draws, memory.payIns))?.id ?? unknownId;
    return { params: { id: credit?.id ?? unknownId }, body: { orderId } };
  },
  receiveCredit: (moment) => {
    const { draws, memory } = moment;
    const payIn = draws.chance(0.6) ? recent(draws, memory.payIns) : undefined;
    const isOfCode = payIn !== undefined && draws.chance(0.5);
    return {
      body: {
        accountId: payIn === undefined || payIn.accountId === '' ? accountOf(moment) : payIn.accountId,
        amount: brl(draws.chance(0.7) && payIn !== undefined ? payIn.amount : cents(draws, 0.01, 300)),
        ...(isOfCode && { orderId: payIn.id }),
        ...(draws.chance(0.5) && { payer: party(draws) }),
      },
    };
  },
  listDisputes: (moment) =>
    paged(moment, 'listDisputes', {
      accountId: accountOf(moment),
      status: moment.draws.one(['OPEN', 'DEFENDED', 'REJECTED']),
      dueBefore: plusSeconds(moment.now, moment.draws.between(0, 900_000)),
    }),
  getDispute: ({ draws, memory }) => ({ params: { id: idOf(draws, memory.disputes) } }),
  defendDispute: (moment) => ({
    key: moment.fresh,
    params: { id: recent(moment.draws, moment.memory.disputes)?.id ?? unknownId },
    body: {
      text: description(moment),
      ...(moment.draws.chance(0.3) && { documents: ['https://partner.example.com/evidence/1.pdf'] }),
    },
  }),
  forceDisputeStatus: (moment) => {
    const { draws, memory } = moment;
    const known = draws.chance(0.5) ? recent(draws, memory.disputes) : undefined;
    const amount = draws.chance(0.4) ? { amount: brl(cents(draws, 0.01, 90)) } : {};
    if (known !== undefined) {
      const status = draws.one(['DEFENDED', 'ACCEPTED', 'ACCEPTED', 'REJECTED', 'CANCELED']);
      return { body: { id: known.id, status, ...(status === 'ACCEPTED' && amount) } };
    }
    const kind = draws.chance(0.3) ? { kind: 'OPERATIONAL_ERROR' } : {};
    const of = draws.chance(0.25)
      ? { creditId: recent(draws, memory.credits)?.id ?? unknownId }
      : { orderId: refundable(moment) ?? unknownId };
    return { body: { ...of, status: 'OPEN', ...amount, ...kind } };
  },
  createPayout: (moment) => ({
    key: moment.fresh,
    body: {
      externalId: `out-${moment.fresh}`,
      accountId: accountOf(moment),
      amount: brl(moment.draws.chance(0.08) ? cents(moment.draws, 15_000, 90_000) : cents(moment.draws, 0.01, 400)),
      description: 'Supplier',
      ...target(moment),
    },
  }),
  getPayout: ({ draws, memory }) => ({ params: { id: idOf(draws, memory.payouts) } }),
  getPayoutCertificate: ({ draws, memory }) => ({ params: { id: idOf(draws, memory.payouts) } }),
  listPayouts: (moment) =>
    paged(moment, 'listPayouts', {
      ...found(moment),
      accountId: accountOf(moment),
      status: moment.draws.one(['PENDING', 'PAID', 'ERROR']),
    }),
  createSubscription: (moment) => {
    const { draws, fresh, today } = moment;
    const isComposite = draws.chance(0.5);
    const startDate = plusDays(today, draws.one([0, 0, 1, 3, 20]));
    return {
      ...(draws.chance(0.9) && { key: fresh }),
      body: {
        ...{ externalId: `sub-${fresh}`, accountId: moment.company.accounts[draws.between(0, 2)] },
        type: isComposite ? 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT' : 'AUTHORIZATION_QRCODE',
        ...{ webhookUrl: endpointOf(moment), frequencyType: draws.one(frequencies), startDate, debtor: party(draws) },
        ...(draws.chance(0.5) && { allowChargeAfterDueDate: true }),
        ...(draws.chance(0.3) && { allowAdjustToBusinessDay: true }),
        ...(draws.chance(0.3) && { fixedAmount: brl('49.90') }),
        ...(draws.chance(0.2) && { endDate: plusDays(startDate, draws.one([0, 1, 7, draws.between(30, 900)])) }),
        ...(draws.chance(0.1) && { description: description(moment).slice(0, 35) }),
        ...(isComposite && { initialCharge: { amount: brl(cents(draws, 1, 90)) } }),
      },
    };
  },
  cancelSubscription: ({ draws, memory, fresh }) => ({
    key: fresh,
    params: { id: recent(draws, memory.subscriptions)?.id ?? unknownId },
    body: { reason: 'REQUESTED_BY_RECEIVER' },
  }),
  updateSubscription: (moment) => {
    const { draws, memory } = moment;
    const known = draws.chance(0.95) ? recent(draws, memory.subscriptions) : undefined;
    const webhookUrl = draws.chance(0.1) ? known?.webhookUrl : undefined;
    return { params: { id: known?.id ?? unknownId }, body: { webhookUrl: webhookUrl ?? endpointOf(moment) } };
  },
  getSubscription: ({ draws, memory }) => ({ params: { id: idOf(draws, memory.subscriptions) } }),
  listSubscriptions: (moment) =>
    paged(moment, 'listSubscriptions', {
      accountId: accountOf(moment),
      status: moment.draws.one(['ACCEPTED', 'CANCELED']),
    }),
  createScheduledPayment: (moment) => {
    const { draws, memory, fresh, today } = moment;
    const original = draws.chance(0.25) ? recent(draws, memory.scheduled) : undefined;
    if (original !== undefined)
      return {
        params: { id: original.subscriptionId },
        body: {
          ...{ externalId: `try-${fresh}`, dueDate: plusDays(original.dueDate, draws.between(1, 8)) },
          ...{ purpose: 'NEW_ATTEMPT_AFTER_DUE_DATE', originalScheduledPaymentId: original.id },
          amount: brl('49.90'),
        },
      };
    const accepted = memory.subscriptions.filter(({ isAccepted }) => isAccepted);
    const subscription = recent(draws, draws.chance(0.8) ? accepted : memory.subscriptions);
    let due =
      subscription === undefined
        ? today
        : cycleDate(subscription.frequency, subscription.startDate, subscription.cycles);
    while (subscription !== undefined && due < today && subscription.cycles < 400)
      due = cycleDate(subscription.frequency, subscription.startDate, (subscription.cycles += 1));
    // What a bank settles by itself must end within the quiet.
    if (moment.company.kind === 'BANK' && due > plusDays(today, 30)) due = today;
    else if (subscription !== undefined && draws.chance(0.6)) subscription.cycles += 1;
    const text = draws.chance(0.3) ? { description: description(moment) } : {};
    return {
      params: { id: subscription?.id ?? unknownId },
      body: {
        externalId: `charge-${fresh}`,
        dueDate: due,
        ...(subscription?.isFixed !== true && { amount: brl('49.90') }),
        ...text,
      },
    };
  },
  cancelScheduledPayment: (moment) => ({ key: moment.fresh, params: paymentParams(moment), body: {} }),
  getScheduledPayment: (moment) => ({ params: paymentParams(moment) }),
  listScheduledPayments: ({ draws, memory }) => ({
    params: { id: idOf(draws, memory.subscriptions) },
    query: draws.chance(0.5) ? { limit: '3' } : {},
  }),
  getBalance: (moment) => ({ params: { accountId: accountOf(moment) } }),
  listAccounts: (moment) => {
    const { number } = person(moment.draws, 'CPF').document;
    return paged(moment, 'listAccounts', { fullName: 'quix', status: 'ACTIVE', document: number });
  },
  listEntries: (moment) => {
    const { draws, memory } = moment;
    const order = draws.chance(0.5) ? recent(draws, memory.payIns) : recent(draws, memory.payouts);
    const orderId = order?.id ?? unknownId;
    const type = draws.one(['PAY_IN', 'PAYOUT_PAID', 'PAYOUT_RECEIVED']);
    return { params: { accountId: accountOf(moment) }, ...paged(moment, 'none', { orderId, type }) };
  },
  listStatementRoots: (moment) => paged(moment, 'none', { accountId: accountOf(moment) }),
  createPixKey: (moment) => {
    const { email, phone } = person(moment.draws, 'CPF');
    const body = moment.draws.one([
      { type: 'EMAIL', key: email },
      { type: 'PHONE', key: phone },
      { type: 'CNPJ' },
      { type: 'RANDOM' },
    ]);
    return { key: moment.fresh, params: { accountId: accountOf(moment) }, body };
  },
  confirmPixKey: (moment) => {
    const { accountId, validationId, address } = keyOf(moment);
    const known = moment.draws.chance(0.7) ? moment.world.codeFor(address) : undefined;
    const code = known ?? String(moment.draws.between(0, 1_000_000)).padStart(6, '0');
    return { key: moment.fresh, params: { accountId }, body: { validationId, code } };
  },
  resendKeyCode: (moment) => {
    const { accountId, validationId } = keyOf(moment);
    return { key: uuidLike(moment.fresh), params: { accountId }, body: { validationId } };
  },
  removePixKey: (moment) => {
    const { accountId, validationId } = keyOf(moment);
    return { params: { accountId, validationId } };
  },
  listPixKeys: (moment) => ({ params: { accountId: accountOf(moment) } }),
  getKeyCode: (moment) => {
    const { accountId, validationId } = keyOf(moment);
    return { params: { accountId, validationId } };
  },
  getWebhookSettings: () => ({}),
  replaceWebhookSettings: (moment) => {
    const { draws } = moment;
    const event = (type: string) => ({
      ...{ type, endpoint: endpointOf(moment) },
      ...(draws.chance(0.2) && { status: draws.one(['ACTIVE', 'INACTIVE']) }),
    });
    return {
      body: {
        events: ['PAYIN', 'PAYIN_REFUND', 'PAYOUT', 'CREDIT', 'DISPUTE'].filter(() => draws.chance(0.9)).map(event),
      },
    };
  },
  rotateWebhookSecret: ({ draws, fresh }) => ({
    ...(draws.chance(0.7) && { key: fresh }),
    body: draws.chance(0.5) ? { overlapSeconds: draws.one([0, 60, 86_400]) } : {},
  }),
  testWebhook: ({ draws }) => ({ body: { type: draws.one(['PAYIN', 'PAYIN_REFUND', 'PAYOUT', 'CREDIT', 'DISPUTE']) } }),
  getWebhookDelivery: ({ draws, memory }) => ({ params: { id: one(draws, memory.deliveries) ?? unknownId } }),
  listWebhookDeliveries: (moment) =>
    paged(moment, 'listWebhookDeliveries', {
      status: moment.draws.one(['PENDING', 'DELIVERED', 'FAILED', 'HELD']),
      event: moment.draws.one(['ORDER-PAYIN.PAID', 'ORDER-PAYOUT.ERROR']),
      resourceId: idOf(moment.draws, moment.memory.payIns),
    }),
  resendWebhookDelivery: ({ draws, memory }) => ({ params: { id: one(draws, memory.deliveries) ?? unknownId } }),
  resendWebhookDeliveries: ({ draws, world, fresh }) => ({
    key: fresh,
    body: { createdFrom: plusSeconds(world.realNow(), -draws.between(60, 500_000)) },
  }),
  getWebhookResend: ({ draws, memory }) => ({ params: { id: one(draws, memory.resends) ?? unknownId } }),
  listWebhookEndpoints: () => ({}),
  releaseWebhookEndpoint: (moment) => ({ body: { endpoint: endpointOf(moment) } }),
  getCapabilities: (moment) => ({ params: { accountId: accountOf(moment) } }),
  getBankProfile: () => ({}),
  // Most of the time the bank does everything: a narrow one refuses what other checks need.
  setBankProfile: ({ draws }) => ({ body: { profile: draws.chance(0.8) ? 'FULL' : draws.one(['EFI', 'QITECH']) } }),
  getClock: () => ({}),
  setClock: ({ draws, fresh }) => ({
    key: fresh,
    body: { advanceSeconds: draws.one([0, 60, 600, 7200, 43_200, 86_400, 86_400, 259_200, 604_800]) },
  }),
  resetClock: () => ({}),
  forceOrderStatus: ({ draws, memory }) => {
    const returned = draws.chance(0.15) ? recent(draws, memory.returns) : undefined;
    if (returned !== undefined) return { body: { id: returned, status: 'REFUNDED' } };
    const payout = draws.chance(0.5) ? recent(draws, memory.payouts) : undefined;
    const statuses = triggersOf(payout === undefined ? payInTransitions : payoutTransitions, 'bank');
    const id =
      payout === undefined
        ? recent(draws, memory.payIns)?.id
        : draws.chance(0.5)
          ? (one(draws, payout.children) ?? payout.id)
          : payout.id;
    return { body: { id: id ?? unknownId, status: draws.chance(0.4) ? 'PAID' : draws.one(statuses) } };
  },
  forceSubscriptionStatus: ({ draws, memory }) => {
    const others = ['REJECTED', 'CANCELED', 'CANCELLATION_REJECTED'];
    const status = draws.one(['ACCEPTED', 'ACCEPTED', 'ACCEPTED', 'ACCEPTED', ...others]);
    return {
      body: {
        ...{ id: recent(draws, memory.subscriptions)?.id ?? unknownId, status },
        ...(status === 'ACCEPTED' && draws.chance(0.4) && { withFirstCharge: true }),
      },
    };
  },
  forceScheduledPaymentStatus: ({ draws, memory }) => ({
    body: {
      id: recent(draws, memory.scheduled)?.id ?? unknownId,
      status: draws.chance(0.3) ? 'ACCEPTED' : draws.one(triggersOf(scheduledPaymentTransitions, 'bank')),
    },
  }),
};

/** A UUID that is the same for the same name. */
function uuidLike(name: string): string {
  const hex = Buffer.from(name).toString('hex').padEnd(32, '0').slice(-32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

import { keep } from './memory.ts';
import type { Remembered } from './memory.ts';
import type { Company, CrowdWorld, Received, Sent } from './world-types.ts';

type Body = Readonly<Record<string, unknown>>;
type Learn = (context: {
  readonly body: Body;
  readonly sent: Sent;
  readonly memory: Remembered;
  readonly company: Company;
  readonly world: CrowdWorld;
}) => void;

const text = (body: Body, name: string): string => (typeof body[name] === 'string' ? body[name] : '');
const part = (body: Body, name: string): Body => (body[name] ?? {}) as Body;
const asked = ({ body }: Sent): Body => (body ?? {}) as Body;

function accept({ subscriptions }: Remembered, id: string, isAccepted: boolean): void {
  const known = subscriptions.find((one) => one.id === id);
  if (known !== undefined) known.isAccepted = isAccepted;
}

/** What a partner remembers of an answer, by the operation. */
const lessons: Readonly<Record<string, Learn>> = {
  createPayIn: ({ body, sent, memory, company, world }) => {
    if (text(body, 'status') !== 'PENDING') return;
    const amount = text(part(asked(sent), 'amount'), 'value');
    const externalId = text(asked(sent), 'externalId');
    const [id, qrcode] = [text(body, 'id'), text(body, 'qrcodeData')];
    keep(memory.payIns, { id, accountId: text(asked(sent), 'accountId'), amount, qrcode, externalId });
    if (company.kind === 'BANK') world.seePayIn(company.companyId, text(body, 'conciliationId'));
  },
  refundPayIn: ({ body, memory }) => {
    keep(memory.refunds, { id: text(body, 'orderId'), refundId: text(body, 'refundId') });
  },
  createPayout: ({ body, sent, memory }) => {
    const code = text(part(asked(sent), 'paymentData'), 'qrcodeData');
    const own = code === '' ? undefined : memory.payIns.find(({ qrcode }) => qrcode === code);
    if (own !== undefined) keep(memory.ownCharges, own.id);
    const { transactions = [] } = part(body, 'batch') as { transactions?: readonly Body[] };
    keep(memory.payouts, { id: text(body, 'id'), children: transactions.map((one) => text(one, 'id')) });
  },
  createSubscription: ({ body, sent, memory, company, world }) => {
    if (text(body, 'status') !== 'PENDING_AUTHORIZATION') return;
    const { frequencyType, startDate, fixedAmount, webhookUrl } = asked(sent);
    keep(memory.subscriptions, {
      ...{ id: text(body, 'id'), frequency: String(frequencyType), startDate: String(startDate) },
      ...{ isFixed: fixedAmount !== undefined, cycles: 0, isAccepted: false },
      webhookUrl: String(webhookUrl),
    });
    const charge = part(body, 'initialCharge');
    const orderId = text(charge, 'orderId');
    if (orderId !== '')
      keep(memory.payIns, { id: orderId, accountId: '', amount: '1.00', qrcode: '', externalId: 'of-a-subscription' });
    if (company.kind !== 'BANK') return;
    world.seeRecurrence(company.companyId, text(body, 'providerId'));
    if (orderId !== '') world.seePayIn(company.companyId, text(charge, 'conciliationId'));
  },
  updateSubscription: ({ body, memory }) => {
    const known = memory.subscriptions.find(({ id }) => id === text(body, 'id'));
    if (known !== undefined) known.webhookUrl = text(body, 'webhookUrl');
  },
  forceSubscriptionStatus: ({ sent, memory }) => {
    const { id, status } = asked(sent);
    accept(memory, String(id), status === 'ACCEPTED');
  },
  getPayIn: ({ body, memory }) => {
    if (text(body, 'endToEndId') !== '') keep(memory.endToEndIds, text(body, 'endToEndId'));
  },
  getPayout: ({ body, memory }) => {
    if (text(body, 'endToEndId') !== '') keep(memory.endToEndIds, text(body, 'endToEndId'));
  },
  getSubscription: ({ body, memory }) => {
    accept(memory, text(body, 'id'), text(body, 'status') === 'ACCEPTED');
  },
  createScheduledPayment: ({ body, memory }) => {
    const [id, subscriptionId, dueDate] = ['id', 'subscriptionId', 'dueDate'].map((name) => text(body, name));
    if (!memory.scheduled.some((one) => one.id === id))
      keep(memory.scheduled, { id: id!, subscriptionId: subscriptionId!, dueDate: dueDate! });
  },
  createPixKey: ({ body, sent, memory }) => {
    const accountId = sent.params?.['accountId'] ?? '';
    keep(memory.keys, { accountId, validationId: text(body, 'validationId'), address: text(asked(sent), 'key') });
  },
  resendWebhookDeliveries: ({ body, memory }) => {
    keep(memory.resends, text(body, 'id'));
  },
  receiveCredit: ({ body, sent, memory }) => {
    const amount = text(part(asked(sent), 'amount'), 'value');
    keep(memory.credits, { id: text(body, 'id'), accountId: text(asked(sent), 'accountId'), amount });
  },
  listCredits: ({ body, memory }) => {
    for (const one of body['data'] as readonly Body[]) {
      const [id, accountId] = [text(one, 'id'), text(one, 'accountId')];
      if (!memory.credits.some((known) => known.id === id))
        keep(memory.credits, { id, accountId, amount: text(part(one, 'amount'), 'value') });
    }
  },
  forceDisputeStatus: ({ body, memory }) => {
    const id = text(body, 'id');
    if (!memory.disputes.some((known) => known.id === id)) keep(memory.disputes, { id });
  },
  listDisputes: ({ body, memory }) => {
    for (const one of body['data'] as readonly Body[]) {
      const id = text(one, 'id');
      if (!memory.disputes.some((known) => known.id === id)) keep(memory.disputes, { id });
    }
  },
  returnCredit: ({ body, memory }) => {
    keep(memory.returns, text(body, 'returnId'));
  },
  setClock: ({ body, memory }) => {
    memory.clockMs = 1000 * Number(body['offsetSeconds']);
  },
  resetClock: ({ memory }) => {
    memory.clockMs = 0;
  },
  listWebhookDeliveries: ({ body, memory }) => {
    for (const one of body['data'] as readonly Body[]) keep(memory.deliveries, text(one, 'id'));
  },
};

/** Keeps of a good answer what later requests need; the cursors of every page. */
export function learn(company: Company, world: CrowdWorld, memory: Remembered, sent: Sent, { body }: Received): void {
  const { operationId } = sent.contract;
  if (typeof body !== 'object' || body === null) return;
  const known = body as Body;
  lessons[operationId]?.({ body: known, sent, memory, company, world });
  const cursor = text(known, 'nextCursor');
  const { cursor: _before, ...query } = (sent.query ?? {}) as Readonly<Record<string, string>>;
  if (cursor !== '' && sent.params === undefined) keep(memory.cursors, { operationId, query, cursor });
}

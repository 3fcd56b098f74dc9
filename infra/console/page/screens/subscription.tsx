import { useState } from 'preact/hooks';
import type { ResponseBody } from '#infra/console/protocol.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { ask, readDeliveries, readEach, readEntries, readNow, readPages } from '../api.ts';
import { nextDueDate } from '../due.ts';
import { showDate, showDecimal } from '../format.ts';
import { Load } from '../loading.tsx';
import { Curl, DateInput, Facts, Section, Status, Table } from '../parts/basics.tsx';
import type { Own } from '../parts/record.tsx';
import { ActButton, CodeOfPayer, Transitions, OwnRequests, TimelineList } from '../parts/record.tsx';
import { linkTo } from '../place.ts';
import type { Step } from '../timeline.ts';
import {
  deliverySteps,
  entrySteps,
  mergeSteps,
  payInSteps,
  paymentSteps,
  refundSteps,
  subscriptionSteps,
} from '../timeline.ts';

type Record = ResponseBody<'getSubscription'>;
type Payment = ResponseBody<'getScheduledPayment'>;

async function readSubscription(id: string) {
  const [subscription, payments, now] = await Promise.all([
    ask({ operation: 'getSubscription', params: { id } }),
    readPages((query) => ask({ operation: 'listScheduledPayments', params: { id }, query })),
    readNow(),
  ]);
  return { subscription, payments, now };
}

/** The history of a subscription and its payments: many requests, separate from the rest of the screen. */
async function readSteps(subscription: Record, payments: readonly Payment[]): Promise<readonly Step[]> {
  const { id } = subscription;
  const settled = payments.flatMap(({ orderId }) => orderId ?? []);
  const orderIds = [...new Set([subscription.initialCharge?.orderId ?? [], settled].flat())];
  const caused = await readCaused(
    [id, ...payments.map((one) => one.id)],
    orderIds,
    (orderId) => (settled.includes(orderId) ? 'Settled pay-in' : 'First charge'),
    subscription.createdAt,
    subscription.receiver.id,
  );
  return mergeSteps(subscriptionSteps(subscription), payments.flatMap(paymentSteps), caused);
}

/** Pay-ins, refunds and entries of orders, and the deliveries about them and other resources. */
async function readCaused(
  others: readonly string[],
  orderIds: readonly string[],
  titleOf: (orderId: string) => string,
  createdFrom: Instant,
  accountId?: string,
): Promise<readonly Step[]> {
  const [orders, refunds, deliveries, entries] = await Promise.all([
    readEach(orderIds, (id) => ask({ operation: 'getPayIn', params: { id } })),
    readEach(orderIds, (id) => ask({ operation: 'listRefunds', params: { id } })),
    readEach([...others, ...orderIds], readDeliveries),
    readEntries(orderIds, createdFrom, accountId),
  ]);
  return [
    ...orders.flatMap((order) => payInSteps(order, titleOf(order.id))),
    ...refundSteps(refunds.flatMap(({ data }) => data)),
    ...entrySteps(entries),
    ...deliverySteps(deliveries.flat()),
  ];
}

export function Subscription({ id }: { id: string }) {
  return (
    <Load name={`subscription ${id}`} read={() => readSubscription(id)}>
      {({ subscription, payments, now }) => (
        <>
          <SubscriptionFacts of={subscription} />
          <Transitions resource="SUBSCRIPTION" status={subscription.status} id={id} />
          <OwnRequests of={ownRequests(subscription)} />
          <Payments of={payments} subscription={subscription} now={now} />
          {subscription.status === 'PENDING_AUTHORIZATION' && (
            <CodeOfPayer code={subscription.qrcodeDetail.qrcodeData} image={subscription.qrcodeDetail.imageBase64} />
          )}
          <History subscription={subscription} payments={payments} />
        </>
      )}
    </Load>
  );
}

function History({ subscription, payments }: { subscription: Record; payments: readonly Payment[] }) {
  return (
    <Load name={`history of ${subscription.id}`} read={() => readSteps(subscription, payments)}>
      {(steps) => <TimelineList steps={steps} />}
    </Load>
  );
}

function SubscriptionFacts({ of }: { of: Record }) {
  const { initialCharge, fixedAmount, maxAmountFloor } = of;
  return (
    <Facts
      of={[
        ['Status', <Status of={of.status} />],
        ['Type', of.type],
        [
          'Frequency',
          `${of.frequencyType}, from ${showDate(of.startDate)}${of.endDate ? ` to ${showDate(of.endDate)}` : ''}`,
        ],
        ['Amount', fixedAmount ? showDecimal(fixedAmount.value) : 'by charge'],
        ['Least maximum', maxAmountFloor && showDecimal(maxAmountFloor.value)],
        [
          'First charge',
          initialCharge && (
            <>
              {showDecimal(initialCharge.amount.value)}{' '}
              {initialCharge.orderId && <a href={linkTo(['pay-ins', initialCharge.orderId])}>its pay-in</a>}
            </>
          ),
        ],
        ['Debtor', of.debtor.name],
        ['External id', of.externalId],
        ['Id', <code>{of.id}</code>],
        ['Recurrence', of.providerId && <code>{of.providerId}</code>],
        ['Notifies', <code>{of.webhookUrl}</code>],
      ]}
    />
  );
}

function ownRequests({ id, status }: Record): readonly Own[] {
  if (status !== 'PENDING_AUTHORIZATION' && status !== 'ACCEPTED') return [];
  const label = status === 'ACCEPTED' ? 'Request the cancellation' : 'Withdraw';
  return [
    { label, asked: { operation: 'cancelSubscription', params: { id }, body: { reason: 'REQUESTED_BY_RECEIVER' } } },
  ];
}

function Payments({ of, subscription, now }: { of: readonly Payment[]; subscription: Record; now: Instant }) {
  const { id, status } = subscription;
  return (
    <Section title="Scheduled payments">
      {status === 'ACCEPTED' && <Schedule subscription={subscription} payments={of} now={now} />}
      {of.length > 0 && (
        <Table
          name="Scheduled payments"
          columns={['Due', 'Status', ['Amount', 'number'], 'Purpose', 'Error', '']}
          rows={of.map((payment) => ({
            key: payment.id,
            cells: [
              showDate(payment.dueDate),
              <Status of={payment.status} />,
              showDecimal(payment.amount.value),
              payment.purpose,
              payment.errorCode,
              <a href={linkTo(['subscriptions', id, 'payments', payment.id])}>Open</a>,
            ],
          }))}
        />
      )}
      {of.length === 0 && status !== 'ACCEPTED' && <p class="quiet">None: the subscription is not accepted.</p>}
    </Section>
  );
}

type Scheduling = { subscription: Record; payments: readonly Payment[]; now: Instant };

/** The next charge by one click, on a day that can be changed. */
function Schedule({ subscription, payments, now }: Scheduling) {
  const [chosen, setChosen] = useState('');
  const dueDate = chosen === '' ? nextDueDate(subscription, payments, now) : chosen;
  const { id, fixedAmount } = subscription;
  const amount = fixedAmount ?? { currency: 'BRL', value: '49.90' };
  const externalId = `${id.slice(0, 8)}-${dueDate}-${String(payments.length + 1)}`;
  const asked = { operation: 'createScheduledPayment', params: { id }, body: { externalId, dueDate, amount } } as const;
  return (
    <div class="cure">
      <ActButton
        label={`Schedule ${showDecimal(amount.value)} for ${showDate(dueDate)}`}
        asked={asked}
        done="Scheduled."
        then={() => {
          setChosen('');
        }}
      />
      <DateInput label="due" value={dueDate} set={setChosen} />
      <Curl of={asked} />
    </div>
  );
}

async function readPayment(id: string, paymentId: string) {
  const payment = await ask({ operation: 'getScheduledPayment', params: { id, paymentId } });
  const orderIds = payment.orderId === undefined ? [] : [payment.orderId];
  const caused = await readCaused([paymentId], orderIds, () => 'Settled pay-in', payment.createdAt);
  return { payment, steps: mergeSteps(paymentSteps(payment), caused) };
}

export function ScheduledPayment({ id, paymentId }: { id: string; paymentId: string }) {
  return (
    <Load name={`payment ${paymentId}`} read={() => readPayment(id, paymentId)}>
      {({ payment, steps }) => (
        <>
          <PaymentFacts of={payment} />
          <Transitions resource="SCHEDULED_PAYMENT" status={payment.status} id={paymentId} />
          <OwnRequests of={paymentRequests(payment)} />
          <TimelineList steps={steps} />
        </>
      )}
    </Load>
  );
}

function PaymentFacts({ of }: { of: Payment }) {
  return (
    <Facts
      of={[
        ['Status', <Status of={of.status} />],
        ['Amount', showDecimal(of.amount.value)],
        ['Due', showDate(of.dueDate)],
        ['Settles', showDate(of.settlementDate)],
        ['Purpose', of.purpose],
        ['Subscription', <a href={linkTo(['subscriptions', of.subscriptionId])}>open it</a>],
        ['Settled as', of.orderId && <a href={linkTo(['pay-ins', of.orderId])}>its pay-in</a>],
        ['Error code', of.errorCode],
        ['Attempt after an error', of.settlementErrorRetryAttempt],
        ['External id', of.externalId],
        ['Id', <code>{of.id}</code>],
        ['End-to-end id', <code>{of.endToEndId}</code>],
      ]}
    />
  );
}

function paymentRequests({ id: paymentId, subscriptionId: id, status }: Payment): readonly Own[] {
  if (status !== 'INITIAL' && status !== 'PENDING' && status !== 'ACCEPTED') return [];
  const asked = { operation: 'cancelScheduledPayment', params: { id, paymentId }, body: {} } as const;
  return [{ label: 'Request the cancellation', asked }];
}

import type { Answered } from '#infra/console/operations.ts';
import { Moves, OwnRequests } from '../parts/actions.tsx';
import type { Own } from '../parts/actions.tsx';
import { Facts, Status } from '../parts/basics.tsx';
import { TimelineList } from '../parts/timeline-list.tsx';
import { showDate, showDecimal } from '../format.ts';
import { Show, useLoaded } from '../loading.tsx';
import { linkTo } from '../place.ts';
import { readDeliveries, readEach, readEntries } from '../read.ts';
import { ask } from '../asking.ts';
import { deliverySteps, entrySteps, mergeSteps, payInSteps, paymentSteps, refundSteps } from '../timeline.ts';

type Payment = Answered<'getScheduledPayment'>;

async function readPayment(id: string, paymentId: string) {
  const payment = await ask({ operation: 'getScheduledPayment', params: { id, paymentId } });
  const orderIds = payment.orderId === undefined ? [] : [payment.orderId];
  const [orders, refunds, deliveries, entries] = await Promise.all([
    readEach(orderIds, (orderId) => ask({ operation: 'getPayIn', params: { id: orderId } })),
    readEach(orderIds, (orderId) => ask({ operation: 'listRefunds', params: { id: orderId } })),
    readEach([paymentId, ...orderIds], readDeliveries),
    readEntries(orderIds, payment.createdAt),
  ]);
  const steps = mergeSteps(
    paymentSteps(payment),
    orders.flatMap((order) => payInSteps(order, 'Settled pay-in')),
    refundSteps(refunds.flatMap(({ data }) => data)),
    entrySteps(entries),
    deliverySteps(deliveries.flat()),
  );
  return { payment, steps };
}

export function ScheduledPayment({ id, paymentId }: { id: string; paymentId: string }) {
  const loaded = useLoaded(`payment ${paymentId}`, () => readPayment(id, paymentId));
  return (
    <Show of={loaded}>
      {({ payment, steps }) => (
        <>
          <PaymentFacts of={payment} />
          <Moves resource="SCHEDULED_PAYMENT" status={payment.status} id={paymentId} />
          <OwnRequests of={ownRequests(payment)} />
          <TimelineList steps={steps} />
        </>
      )}
    </Show>
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

function ownRequests({ id: paymentId, subscriptionId: id, status }: Payment): readonly Own[] {
  if (status !== 'INITIAL' && status !== 'PENDING' && status !== 'ACCEPTED') return [];
  const asked = { operation: 'cancelScheduledPayment', params: { id, paymentId }, body: {} } as const;
  return [{ label: 'Request the cancellation', asked }];
}

import type { ResponseBody } from '#console/protocol.ts';
import { ask } from '../api.ts';
import { readCaused } from '../caused.ts';
import { showDate, showDecimal } from '../format.ts';
import { t } from '../language.ts';
import { Load } from '../loading.tsx';
import { Facts, Status, WholeId } from '../parts/basics.tsx';
import type { Own } from '../parts/record.tsx';
import { OwnRequests, TimelineList, Transitions } from '../parts/record.tsx';
import { linkTo } from '../route.ts';
import { mergeSteps, paymentSteps } from '../timeline.ts';

type Payment = ResponseBody<'getScheduledPayment'>;

async function readPayment(id: string, paymentId: string) {
  const payment = await ask({ operation: 'getScheduledPayment', params: { id, paymentId } });
  const orderIds = payment.orderId === undefined ? [] : [payment.orderId];
  const caused = await readCaused([paymentId], orderIds, () => t().subscription.settledPayIn, payment.createdAt);
  return { payment, steps: mergeSteps(paymentSteps(payment), caused) };
}

export function ScheduledPayment({ id, paymentId }: { id: string; paymentId: string }) {
  return (
    <Load name={`payment ${paymentId}`} read={() => readPayment(id, paymentId)}>
      {({ payment, steps }) => (
        <>
          <PaymentFacts of={payment} />
          <Transitions resource="SCHEDULED_PAYMENT" status={payment.status} id={paymentId} />
          <TimelineList steps={steps} />
          <OwnRequests of={paymentRequests(payment)} />
        </>
      )}
    </Load>
  );
}

function PaymentFacts({ of }: { of: Payment }) {
  const { columns, subscription: labels } = t();
  return (
    <Facts
      of={[
        [columns.status, <Status of={of.status} />],
        [columns.amount, showDecimal(of.amount.value)],
        [columns.due, showDate(of.dueDate)],
        [labels.settles, showDate(of.settlementDate)],
        [columns.purpose, of.purpose],
        [t().titles.subscription, <a href={linkTo(['subscriptions', of.subscriptionId])}>{labels.openIt}</a>],
        [labels.settledAs, of.orderId && <a href={linkTo(['pay-ins', of.orderId])}>{labels.itsPayIn}</a>],
        [labels.errorCode, of.errorCode],
        [labels.attemptAfterError, of.settlementErrorRetryAttempt],
        [columns.externalId, of.externalId],
        [columns.id, <WholeId of={of.id} />],
        [columns.endToEndId, of.endToEndId && <WholeId of={of.endToEndId} />],
      ]}
    />
  );
}

function paymentRequests({ id: paymentId, subscriptionId: id, status }: Payment): readonly Own[] {
  if (status !== 'INITIAL' && status !== 'PENDING' && status !== 'ACCEPTED') return [];
  const asked = { operation: 'cancelScheduledPayment', params: { id, paymentId }, body: {} } as const;
  return [{ label: t().subscription.requestCancellation, asked }];
}

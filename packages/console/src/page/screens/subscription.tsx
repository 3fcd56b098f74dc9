import type { ResponseBody } from '#console/protocol.ts';
import { ask, readNow, readPages } from '../api.ts';
import { showDate, showDecimal } from '../format.ts';
import { t } from '../language.ts';
import { Load } from '../loading.tsx';
import { Charges, History } from '../parts/charges.tsx';
import { Facts, Status, WholeId } from '../parts/basics.tsx';
import type { Own } from '../parts/record.tsx';
import { CodeOfPayer, OwnRequests, Transitions } from '../parts/record.tsx';
import { Exactly } from '../parts/times.tsx';
import { linkTo } from '../route.ts';

type Record = ResponseBody<'getSubscription'>;

async function readSubscription(id: string) {
  const [subscription, payments, now] = await Promise.all([
    ask({ operation: 'getSubscription', params: { id } }),
    readPages((query) => ask({ operation: 'listScheduledPayments', params: { id }, query })),
    readNow(),
  ]);
  return { subscription, payments, now };
}

export function Subscription({ id }: { id: string }) {
  return (
    <Load name={`subscription ${id}`} read={() => readSubscription(id)}>
      {({ subscription, payments, now }) => (
        <>
          <SubscriptionFacts of={subscription} />
          <Transitions resource="SUBSCRIPTION" status={subscription.status} id={id} />
          {subscription.status === 'PENDING_AUTHORIZATION' && (
            <CodeOfPayer code={subscription.qrcodeDetail.qrcodeData} image={subscription.qrcodeDetail.imageBase64} />
          )}
          <Charges of={payments} subscription={subscription} now={now} />
          <History subscription={subscription} payments={payments} />
          <OwnRequests of={ownRequests(subscription)} />
        </>
      )}
    </Load>
  );
}

function SubscriptionFacts({ of }: { of: Record }) {
  const { initialCharge, fixedAmount, maxAmountFloor } = of;
  const { columns, subscription: labels } = t();
  return (
    <Facts
      of={[
        [columns.status, <Status of={of.status} />],
        [columns.type, of.type],
        [labels.frequency, labels.from(of.frequencyType, showDate(of.startDate), of.endDate && showDate(of.endDate))],
        [columns.amount, fixedAmount ? showDecimal(fixedAmount.value) : labels.byCharge],
        [labels.leastMaximum, maxAmountFloor && showDecimal(maxAmountFloor.value)],
        [
          labels.firstCharge,
          initialCharge && (
            <>
              {showDecimal(initialCharge.amount.value)}{' '}
              {initialCharge.orderId && <a href={linkTo(['pay-ins', initialCharge.orderId])}>{labels.itsPayIn}</a>}
            </>
          ),
        ],
        [labels.debtor, of.debtor.name],
        [columns.externalId, of.externalId],
        [columns.id, <WholeId of={of.id} />],
        [labels.recurrence, of.providerId && <WholeId of={of.providerId} />],
        [labels.notifies, <code>{of.webhookUrl}</code>],
        [columns.created, <Exactly at={of.createdAt} />],
      ]}
    />
  );
}

function ownRequests({ id, status }: Record): readonly Own[] {
  if (status !== 'PENDING_AUTHORIZATION' && status !== 'ACCEPTED') return [];
  const { requestCancellation, withdraw } = t().subscription;
  const label = status === 'ACCEPTED' ? requestCancellation : withdraw;
  return [
    { label, asked: { operation: 'cancelSubscription', params: { id }, body: { reason: 'REQUESTED_BY_RECEIVER' } } },
  ];
}

import { payInStatuses } from '#shared/pay-ins/model.ts';
import { payoutStatuses } from '#shared/payouts/model.ts';
import { subscriptionStatuses } from '#shared/subscriptions/model.ts';
import { Id, Links, Status } from '../parts/basics.tsx';
import { Time } from '../parts/times.tsx';
import { Choice, Listing, Written } from '../parts/listing.tsx';
import { showDecimal } from '../format.ts';
import { t } from '../language.ts';
import { linkTo } from '../route.ts';
import { ask } from '../api.ts';

type Row = {
  readonly id: string;
  readonly externalId: string;
  readonly status: string;
  readonly amount: string | undefined;
  readonly description: string | undefined;
  readonly createdAt: string;
};
type List = {
  readonly statuses: readonly string[];
  readonly operation: 'listPayIns' | 'listPayouts' | 'listSubscriptions';
  readonly read: (query: Query) => Promise<{ readonly data: readonly Row[]; readonly nextCursor: string | null }>;
};
/** The form behind the button "new" of each list. */
const firstForms: Readonly<Record<string, string>> = {
  'pay-ins': 'pay-in',
  payouts: 'payout-pix',
  subscriptions: 'journey-3',
};
type Query = Readonly<Record<string, string>>;

const lists: Readonly<Record<string, List>> = {
  'pay-ins': {
    statuses: payInStatuses,
    operation: 'listPayIns',
    read: async (query) => {
      const { data, nextCursor } = await ask({ operation: 'listPayIns', query });
      return { nextCursor, data: data.map((order) => ({ ...order, amount: order.amount.value })) };
    },
  },
  payouts: {
    statuses: payoutStatuses,
    operation: 'listPayouts',
    read: (query) => ask({ operation: 'listPayouts', query }),
  },
  subscriptions: {
    statuses: subscriptionStatuses,
    operation: 'listSubscriptions',
    read: async (query) => {
      const { data, nextCursor } = await ask({ operation: 'listSubscriptions', query });
      const amountOf = (order: (typeof data)[number]): string | undefined =>
        order.fixedAmount?.value ?? order.initialCharge?.amount.value;
      return {
        nextCursor,
        data: data.map((order) => ({ ...order, amount: amountOf(order), description: order.description })),
      };
    },
  },
};

/** Shows one list of orders, and links to the others. */
export function Orders({ kind }: { kind: string }) {
  const list = lists[kind] ?? lists['subscriptions'];
  if (list === undefined) return null;
  const { titles, columns, orders } = t();
  const tabs = [
    ['subscriptions', titles.subscriptions, ['subscriptions']],
    ['pay-ins', titles.payIns, ['pay-ins']],
    ['payouts', titles.payouts, ['payouts']],
  ] as const;
  return (
    <>
      <Links label={orders.kinds} class="tabs" current={kind} of={tabs}>
        <a class="button primary" href={linkTo(['new', firstForms[kind] ?? 'journey-3'])}>
          {orders.new}
        </a>
      </Links>
      <Listing
        name={tabs.find(([name]) => name === kind)?.[1] ?? titles.subscriptions}
        columns={[
          ...([columns.id, [columns.externalId, 'long'], columns.status, [columns.amount, 'number']] as const),
          ...([[columns.description, 'long'], columns.created] as const),
        ]}
        operation={list.operation}
        read={list.read}
        empty={orders.none}
        row={({ id, externalId, status, amount, description, createdAt }) => ({
          key: id,
          cells: [
            <Id of={id} href={linkTo([kind, id])} />,
            externalId,
            <Status of={status} />,
            amount === undefined ? '–' : showDecimal(amount),
            description,
            <Time at={createdAt} />,
          ],
        })}
      >
        <Choice label={columns.status} field="status" from={list.statuses} />
        <Written label={columns.externalId} field="externalId" />
      </Listing>
    </>
  );
}

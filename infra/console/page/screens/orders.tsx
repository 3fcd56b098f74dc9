import { payInStatuses } from '#shared/pay-ins/model.ts';
import { payoutStatuses } from '#shared/payouts/model.ts';
import { subscriptionStatuses } from '#shared/subscriptions/model.ts';
import { Id, Links, Status } from '../parts/basics.tsx';
import { Choice, Listing, Written } from '../parts/listing.tsx';
import { showDecimal, showInstant } from '../format.ts';
import { linkTo } from '../place.ts';
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
  readonly title: string;
  readonly statuses: readonly string[];
  readonly operation: 'listPayIns' | 'listPayouts' | 'listSubscriptions';
  readonly read: (query: Query) => Promise<{ readonly data: readonly Row[]; readonly nextCursor: string | null }>;
};
type Query = Readonly<Record<string, string>>;

const lists: Readonly<Record<string, List>> = {
  'pay-ins': {
    title: 'Pay-ins',
    statuses: payInStatuses,
    operation: 'listPayIns',
    read: async (query) => {
      const { data, nextCursor } = await ask({ operation: 'listPayIns', query });
      return { nextCursor, data: data.map((one) => ({ ...one, amount: one.amount.value })) };
    },
  },
  payouts: {
    title: 'Payouts',
    statuses: payoutStatuses,
    operation: 'listPayouts',
    read: (query) => ask({ operation: 'listPayouts', query }),
  },
  subscriptions: {
    title: 'Subscriptions',
    statuses: subscriptionStatuses,
    operation: 'listSubscriptions',
    read: async (query) => {
      const { data, nextCursor } = await ask({ operation: 'listSubscriptions', query });
      const amountOf = (one: (typeof data)[number]): string | undefined =>
        one.fixedAmount?.value ?? one.initialCharge?.amount.value;
      return { nextCursor, data: data.map((one) => ({ ...one, amount: amountOf(one), description: one.description })) };
    },
  },
};

const tabs = Object.entries(lists).map(([name, { title }]) => [name, title, [name]] as const);

export function Orders({ kind }: { kind: string }) {
  const list = lists[kind] ?? lists['subscriptions'];
  if (list === undefined) return null;
  return (
    <>
      <Links label="Kinds" class="tabs" current={kind} of={tabs}>
        <a class="new" href={linkTo(['new'])}>
          New…
        </a>
      </Links>
      <Listing
        name={list.title}
        columns={['Id', ['External id', 'long'], 'Status', ['Amount', 'number'], ['Description', 'long'], 'Created']}
        operation={list.operation}
        read={list.read}
        row={({ id, externalId, status, amount, description, createdAt }) => ({
          key: id,
          cells: [
            <Id of={id} href={linkTo([kind, id])} />,
            externalId,
            <Status of={status} />,
            amount === undefined ? '–' : showDecimal(amount),
            description,
            showInstant(createdAt),
          ],
        })}
      >
        <Choice label="Status" field="status" from={list.statuses} />
        <Written label="External id" field="externalId" />
      </Listing>
    </>
  );
}

import { payInStatuses } from '#shared/pay-ins/model.ts';
import { payoutStatuses } from '#shared/payouts/model.ts';
import { subscriptionStatuses } from '#shared/subscriptions/model.ts';
import { Id, Status } from '../parts/basics.tsx';
import { Choice, Listing, Written } from '../parts/listing.tsx';
import { showDecimal, showInstant } from '../format.ts';
import { Show, useLoaded } from '../loading.tsx';
import { go, linkTo, place } from '../place.ts';
import { ask } from '../asking.ts';

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

export function Orders({ kind }: { kind: string }) {
  const list = lists[kind] ?? lists['subscriptions'];
  if (list === undefined) return null;
  const { query } = place.value;
  const asked = { operation: list.operation, query: { limit: '50', ...query } } as const;
  const loaded = useLoaded(JSON.stringify([place.value.companyId, kind, query]), () => list.read(asked.query));
  return (
    <>
      <nav aria-label="Kinds" class="tabs">
        {Object.entries(lists).map(([name, { title }]) => (
          <a key={name} href={linkTo([name])} aria-current={name === kind ? 'page' : undefined}>
            {title}
          </a>
        ))}
        <a class="new" href={linkTo(['new'])}>
          New…
        </a>
      </nav>
      <Filters kind={kind} statuses={list.statuses} />
      <Show of={loaded}>
        {(page) => (
          <Listing
            name={list.title}
            columns={['Id', 'External id', 'Status', 'R$', 'Description', 'Created']}
            at={kind}
            asked={asked}
            page={page}
            row={(row) => <OrderRow key={row.id} kind={kind} row={row} />}
          />
        )}
      </Show>
    </>
  );
}

function OrderRow({
  kind,
  row: { id, externalId, status, amount, description, createdAt },
}: {
  kind: string;
  row: Row;
}) {
  return (
    <tr>
      <td>
        <a href={linkTo([kind, id])}>
          <Id of={id} />
        </a>
      </td>
      <td class="long">{externalId}</td>
      <td>
        <Status of={status} />
      </td>
      <td class="number">{amount === undefined ? '–' : showDecimal(amount)}</td>
      <td class="long">{description}</td>
      <td>{showInstant(createdAt)}</td>
    </tr>
  );
}

function Filters({ kind, statuses }: { kind: string; statuses: readonly string[] }) {
  const { status = '', externalId = '' } = place.value.query;
  return (
    <div class="filters" role="search">
      <Choice
        name="Status"
        value={status}
        from={statuses}
        take={(value) => {
          go(linkTo([kind], { status: value, externalId }));
        }}
      />
      <Written
        name="External id"
        value={externalId}
        take={(value) => {
          go(linkTo([kind], { status, externalId: value }));
        }}
      />
    </div>
  );
}

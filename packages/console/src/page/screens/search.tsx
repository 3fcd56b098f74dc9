import { useEffect } from 'preact/hooks';
import type { ResponseBody } from '#console/protocol.ts';
import { ask, readEach } from '../api.ts';
import { t } from '../language.ts';
import { Load } from '../loading.tsx';
import { Id, Nothing, Status } from '../parts/basics.tsx';
import { Table } from '../parts/table.tsx';
import { linkTo, route } from '../route.ts';

/** A record that has the id, the external id or the end-to-end id. */
type Found = {
  readonly kind:
    'payIn' | 'payout' | 'subscription' | 'scheduledPayment' | 'credit' | 'dispute' | 'delivery' | 'account';
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly link: readonly string[];
};

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu;
/** Maximum number of subscriptions whose scheduled payments are searched. */
const mostSubscriptions = '50';

type Payment = ResponseBody<'listScheduledPayments'>['data'][number];

async function findRecords(text: string): Promise<readonly Found[]> {
  const found = uuid.test(text) ? await findById(text.toLowerCase()) : await findByName(text);
  return found.length > 0 ? found : findPayments(text);
}

/** @returns records of every kind with this id */
async function findById(id: string): Promise<readonly Found[]> {
  const none = (): readonly Found[] => [];
  const params = { id };
  const [accounts, ...records] = await Promise.all([
    ask({ operation: 'listAccounts', query: { limit: '100' } }),
    ask({ operation: 'getPayIn', params }).then((order) => [payIn(order)], none),
    ask({ operation: 'getPayout', params }).then((order) => [payout(order)], none),
    ask({ operation: 'getSubscription', params }).then((order) => [subscription(order)], none),
    ask({ operation: 'getCredit', params }).then((found) => [credit(found)], none),
    ask({ operation: 'getDispute', params }).then(
      ({ endToEndId: name, status }) => [{ kind: 'dispute', id, name, status, link: ['disputes', id] } as const],
      none,
    ),
    ask({ operation: 'getWebhookDelivery', params }).then(
      ({ event, status }) => [{ kind: 'delivery', id, name: event, status, link: ['deliveries', id] } as const],
      none,
    ),
  ]);
  const account = accounts.data.find((candidate) => candidate.id === id);
  return [
    ...records.flat(),
    ...(account === undefined
      ? []
      : [{ kind: 'account', id, name: account.fullName, status: account.status, link: ['ledger', id] } as const]),
  ];
}

async function findByName(text: string): Promise<readonly Found[]> {
  const [payIns, payouts, subscriptions, ...ends] = await Promise.all([
    ask({ operation: 'listPayIns', query: { externalId: text } }),
    ask({ operation: 'listPayouts', query: { externalId: text } }),
    ask({ operation: 'listSubscriptions', query: { externalId: text } }),
    // The service refuses a text that is not an end-to-end id.
    ...(/^E\w{31}$/u.test(text)
      ? [
          ask({ operation: 'listPayIns', query: { endToEndId: text } }).then(({ data }) => data.map(payIn)),
          ask({ operation: 'listPayouts', query: { endToEndId: text } }).then(({ data }) => data.map(payout)),
          ask({ operation: 'listCredits', query: { endToEndId: text } }).then(({ data }) => data.map(credit)),
        ]
      : []),
  ]);
  return [
    ...payIns.data.map(payIn),
    ...payouts.data.map(payout),
    ...subscriptions.data.map(subscription),
    ...ends.flat(),
  ];
}

/** Finds scheduled payments in the lists of the first subscriptions: the service lists them only by subscription. */
async function findPayments(text: string): Promise<readonly Found[]> {
  const { data } = await ask({ operation: 'listSubscriptions', query: { limit: mostSubscriptions } });
  const pages = await readEach(data, ({ id }) =>
    ask({ operation: 'listScheduledPayments', params: { id }, query: { limit: '100', sort: 'desc' } }),
  );
  return pages
    .flatMap((page): readonly Payment[] => page.data)
    .filter((payment) => [payment.id, payment.externalId, payment.endToEndId].includes(text))
    .map(({ id, externalId: name, status, subscriptionId }) => ({
      kind: 'scheduledPayment',
      id,
      name,
      status,
      link: ['subscriptions', subscriptionId, 'payments', id],
    }));
}

type Named = { readonly id: string; readonly externalId: string; readonly status: string };
const payIn = ({ id, externalId: name, status }: Named): Found => ({
  kind: 'payIn',
  id,
  name,
  status,
  link: ['pay-ins', id],
});
const payout = ({ id, externalId: name, status }: Named): Found => ({
  kind: 'payout',
  id,
  name,
  status,
  link: ['payouts', id],
});
const subscription = ({ id, externalId: name, status }: Named): Found => ({
  kind: 'subscription',
  id,
  name,
  status,
  link: ['subscriptions', id],
});

/** A credit has no external id: its end-to-end id names it. */
const credit = ({
  id,
  endToEndId: name,
  status,
}: Pick<ResponseBody<'getCredit'>, 'id' | 'endToEndId' | 'status'>): Found => ({
  kind: 'credit',
  id,
  name,
  status,
  link: ['credits', id],
});

/** Finds records by the id, external id or end-to-end id in the address. Opens the record if there is only one. */
export function Search() {
  const text = route.value.query['text'] ?? '';
  if (text === '') return <Nothing>{t().search.hint}</Nothing>;
  return (
    <Load name={`${route.value.companyId} search ${text}`} read={() => findRecords(text)}>
      {(found) => <Results text={text} found={found} />}
    </Load>
  );
}

function Results({ text, found }: { text: string; found: readonly Found[] }) {
  const [first, second] = found;
  const single = second === undefined ? first : undefined;
  useEffect(() => {
    if (single !== undefined) location.replace(linkTo(single.link));
  }, [single?.id]);
  const { kind, id, externalId, status } = t().columns;
  if (first === undefined) return <Nothing>{t().search.nothing(text)}</Nothing>;
  return (
    <Table
      name={t().titles.search}
      columns={[kind, id, [externalId, 'long'], status]}
      rows={found.map((row) => ({
        key: `${row.kind} ${row.id}`,
        cells: [t().titles[row.kind], <Id of={row.id} href={linkTo(row.link)} />, row.name, <Status of={row.status} />],
      }))}
    />
  );
}

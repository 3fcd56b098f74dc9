import type { ResponseBody } from '#console/protocol.ts';
import { ask } from '../api.ts';
import { moneyParts, showAmount, showChange, showDecimal, withBalances } from '../format.ts';
import { t } from '../language.ts';
import { Failure, Load } from '../loading.tsx';
import { Curl, Links, Nothing } from '../parts/basics.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/times.tsx';
import { linkTo, route } from '../route.ts';

async function readLedger(accountId: string | undefined) {
  const { data: accounts } = await ask({ operation: 'listAccounts', query: { limit: '100', sort: 'asc' } });
  const account = accounts.find(({ id, status }) => (accountId === undefined ? status === 'ACTIVE' : id === accountId));
  if (account === undefined) return { accounts };
  const params = { accountId: account.id };
  // A new entry between the reads would make every balance wrong. Reads again, at most five times, if one came.
  for (let looks = 0; ; looks += 1) {
    const before = await ask({ operation: 'getBalance', params });
    const entries = await ask({ operation: 'listEntries', params, query: { limit: '100' } });
    const after = await ask({ operation: 'getBalance', params });
    const isStill = moneyParts.every((part) => before[part] === after[part]);
    if (isStill || looks === 5) return { accounts, account, balance: after, entries };
  }
}

/** The statement of an account, newest first, with the balance after each entry. */
export function Ledger() {
  const { columns, ledger } = t();
  const parts = moneyParts.map((part) => columns[part]);
  const amounts = [...parts, ledger.availableAfter, ledger.reservedAfter];
  const [accountId] = route.value.rest;
  return (
    <Load name={`${route.value.companyId} ledger ${accountId ?? ''}`} read={() => readLedger(accountId)}>
      {({ accounts, account, balance, entries }) => (
        <>
          <Links
            label={ledger.accounts}
            class="tabs"
            current={account?.id}
            of={accounts.map(({ id, fullName }) => [id, fullName, ['ledger', id]])}
          />
          {account === undefined ? (
            <Failure>{accountId === undefined ? ledger.noAccount : ledger.noSuchAccount(accountId)}</Failure>
          ) : (
            <>
              <dl class="figures">
                {moneyParts.map((part) => (
                  <div key={part}>
                    <dt>{columns[part]}</dt>
                    <dd>{showDecimal(balance[part])}</dd>
                  </div>
                ))}
              </dl>
              <Table
                name={ledger.entries}
                columns={[
                  ...[columns.at, columns.type, columns.order, columns.counterparty],
                  [columns.endToEndId, 'long'],
                  ...amounts.map((name) => [name, 'number'] as const),
                ]}
                rows={withBalances(entries.data, balance).map((entry) => ({
                  key: entry.id,
                  cells: [
                    <Time at={entry.createdAt} />,
                    entry.type,
                    <References of={entry} />,
                    entry.counterparty?.name ?? '–',
                    entry.endToEndId ?? entry.controlNumber ?? '–',
                    ...moneyParts.map((part) => showChange(entry[part])),
                    ...[entry.balance.available, entry.balance.reserved].map(showAmount),
                  ],
                }))}
              />
              {entries.data.length === 0 && <Nothing>{ledger.none}</Nothing>}
              {entries.hasNext && <p class="quiet">{ledger.lastHundred}</p>}
              <Curl
                of={{ operation: 'listEntries', params: { accountId: account.id } }}
                label={t().basics.listAsCurl}
              />
            </>
          )}
        </>
      )}
    </Load>
  );
}

type Entry = ResponseBody<'listEntries'>['data'][number];

/** Links to the order, the credit and the dispute of an entry. */
function References({ of: { orderId, creditId, disputeId, type } }: { of: Entry }) {
  if ((orderId ?? creditId) === undefined) return <>–</>;
  return (
    <>
      {orderId !== undefined && <OrderLink id={orderId} type={type} />}{' '}
      {creditId !== undefined && (
        <a href={linkTo(['credits', creditId])} title={creditId}>
          {t().titles.credit} {creditId.slice(0, 8)}
        </a>
      )}{' '}
      {disputeId !== undefined && (
        <a href={linkTo(['disputes', disputeId])} title={disputeId}>
          {t().titles.dispute} {disputeId.slice(0, 8)}
        </a>
      )}
    </>
  );
}

function OrderLink({ id, type }: { id: string; type: string }) {
  const isPayout = type.startsWith('PAYOUT_');
  return <a href={linkTo([isPayout ? 'payouts' : 'pay-ins', id])}>{id.slice(0, 8)}</a>;
}

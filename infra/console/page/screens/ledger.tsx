import { ask } from '../api.ts';
import { showAmount, showChange, showDecimal, showInstant, withBalances } from '../format.ts';
import { Failure, Load } from '../loading.tsx';
import { Curl, Links, Table } from '../parts/basics.tsx';
import { linkTo, place } from '../place.ts';

async function readLedger(accountId: string | undefined) {
  const { data: accounts } = await ask({ operation: 'listAccounts', query: { limit: '100', sort: 'asc' } });
  const account = accounts.find(({ id, status }) => (accountId === undefined ? status === 'ACTIVE' : id === accountId));
  if (account === undefined) return { accounts };
  const params = { accountId: account.id };
  // A move between the two readings would shift every balance: they are read again until none came between.
  for (let looks = 0; ; looks += 1) {
    const before = await ask({ operation: 'getBalance', params });
    const entries = await ask({ operation: 'listEntries', params, query: { limit: '100' } });
    const after = await ask({ operation: 'getBalance', params });
    const isStill = before.available === after.available && before.reserved === after.reserved;
    if (isStill || looks === 5) return { accounts, account, balance: after, entries };
  }
}

const amounts = ['Available', 'Reserved', 'Available after', 'Reserved after'];
const entryColumns = ['At', 'Type', 'Order', ...amounts.map((name) => [name, 'number'] as const)];

/** The statement of an account, newest first, with the balance after each entry. */
export function Ledger() {
  const [accountId] = place.value.rest;
  return (
    <Load name={`${place.value.companyId} ledger ${accountId ?? ''}`} read={() => readLedger(accountId)}>
      {({ accounts, account, balance, entries }) => (
        <>
          <Links
            label="Accounts"
            class="tabs"
            current={account?.id}
            of={accounts.map(({ id, fullName }) => [id, fullName, ['ledger', id]])}
          />
          {account === undefined ? (
            <Failure>
              {accountId === undefined
                ? 'This company has no active account.'
                : `This company has no account ${accountId}. Another one may have it.`}
            </Failure>
          ) : (
            <>
              <p>
                <strong>{showDecimal(balance.available)}</strong> available, {showDecimal(balance.reserved)} reserved
              </p>
              <Table
                name="Entries"
                columns={entryColumns}
                rows={withBalances(entries.data, balance).map((entry) => ({
                  key: entry.id,
                  cells: [
                    showInstant(entry.createdAt),
                    entry.type,
                    entry.orderId === undefined ? '–' : <OrderLink id={entry.orderId} type={entry.type} />,
                    ...[entry.available, entry.reserved].map(showChange),
                    ...[entry.balance.available, entry.balance.reserved].map(showAmount),
                  ],
                }))}
              />
              {entries.hasNext && <p class="quiet">These are the last hundred.</p>}
              <Curl of={{ operation: 'listEntries', params: { accountId: account.id } }} label="This list as curl" />
            </>
          )}
        </>
      )}
    </Load>
  );
}

function OrderLink({ id, type }: { id: string; type: string }) {
  const isPayout = type.startsWith('PAYOUT_') && type !== 'PAYOUT_RECEIVED';
  return <a href={linkTo([isPayout ? 'payouts' : 'pay-ins', id])}>{id.slice(0, 8)}</a>;
}

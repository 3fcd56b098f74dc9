import type { ResponseBody } from '#console/protocol.ts';
import { ask } from '../api.ts';
import { showDecimal } from '../format.ts';
import { t } from '../language.ts';
import { Id, Status } from '../parts/basics.tsx';
import { Choice, Listing, Written } from '../parts/listing.tsx';
import type { Row } from '../parts/table.tsx';
import { Time } from '../parts/times.tsx';
import { linkTo } from '../route.ts';

type Entry = ResponseBody<'listCredits'>['data'][number];

/** The statuses of the filter. One that is missing does not compile. */
const statuses: Readonly<Record<Entry['status'], true>> = { OPEN: true, ASSIGNED: true, RETURNED: true };

/** Shows the money that no open charge expected, newest first, and the form that simulates such a payment. */
export function Credits() {
  const { columns, credit, menu } = t();
  const receive = (
    <a class="button primary" href={linkTo(['new', 'credit'])}>
      {credit.receive}
    </a>
  );
  return (
    <>
      <p class="cure">{receive}</p>
      <Listing
        name={menu.credits}
        columns={[
          ...([columns.id, columns.at, [columns.amount, 'number'], columns.payer] as const),
          ...([columns.why, columns.status, columns.account, [columns.endToEndId, 'long']] as const),
        ]}
        operation="listCredits"
        read={(query) => ask({ operation: 'listCredits', query })}
        row={rowOf}
        empty={credit.none}
      >
        <Choice label={columns.status} field="status" from={Object.keys(statuses)} />
        <Written label={columns.endToEndId} field="endToEndId" />
      </Listing>
    </>
  );
}

function rowOf({ id, receivedAt, amount, payer, reason, status, accountId, endToEndId }: Entry): Row {
  return {
    key: id,
    cells: [
      <Id of={id} href={linkTo(['credits', id])} />,
      <Time at={receivedAt} />,
      showDecimal(amount.value),
      payer?.name ?? '–',
      reason,
      <Status of={status} />,
      <Id of={accountId} href={linkTo(['ledger', accountId])} />,
      endToEndId,
    ],
  };
}

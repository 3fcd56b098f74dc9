import type { ResponseBody } from '#console/protocol.ts';
import { ask } from '../api.ts';
import { showDecimal } from '../format.ts';
import { t } from '../language.ts';
import { Id, Status } from '../parts/basics.tsx';
import { Choice, Listing } from '../parts/listing.tsx';
import type { Row } from '../parts/table.tsx';
import { Time } from '../parts/times.tsx';
import { linkTo } from '../route.ts';

type Entry = ResponseBody<'listDisputes'>['data'][number];

/** The statuses of the filter. One that is missing does not compile. */
const statuses: Readonly<Record<Entry['status'], true>> = {
  OPEN: true,
  DEFENDED: true,
  ACCEPTED: true,
  REJECTED: true,
  CANCELED: true,
};

/** Shows the payments that their payers claim back, newest first. */
export function Disputes() {
  const { columns, dispute, menu } = t();
  return (
    <Listing
      name={menu.disputes}
      columns={[
        ...([columns.id, columns.at, [columns.amount, 'number'], [columns.blocked, 'number']] as const),
        ...([columns.why, columns.status, columns.due, columns.order] as const),
      ]}
      operation="listDisputes"
      read={(query) => ask({ operation: 'listDisputes', query })}
      row={rowOf}
      empty={dispute.none}
    >
      <Choice label={columns.status} field="status" from={Object.keys(statuses)} />
    </Listing>
  );
}

function rowOf({ id, createdAt, amount, blockedAmount, kind, status, dueAt, orderId }: Entry): Row {
  return {
    key: id,
    cells: [
      <Id of={id} href={linkTo(['disputes', id])} />,
      <Time at={createdAt} />,
      showDecimal(amount.value),
      showDecimal(blockedAmount.value),
      kind,
      <Status of={status} />,
      <Time at={dueAt} />,
      orderId === undefined ? '–' : <Id of={orderId} href={linkTo(['pay-ins', orderId])} />,
    ],
  };
}

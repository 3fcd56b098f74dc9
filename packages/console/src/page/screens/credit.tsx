import type { Ask, ResponseBody } from '#console/protocol.ts';
import { ask, readDeliveries, readEntries } from '../api.ts';
import { refundableOf } from '../figures.ts';
import { showDecimal } from '../format.ts';
import { t } from '../language.ts';
import { Load } from '../loading.tsx';
import { Facts, Id, Nothing, Section, Status, WholeId } from '../parts/basics.tsx';
import { ActButton, TimelineList } from '../parts/record.tsx';
import { Table } from '../parts/table.tsx';
import { WrittenRequest } from '../parts/written-request.tsx';
import { Exactly, Time } from '../parts/times.tsx';
import { linkTo } from '../route.ts';
import { returnIsSettled, settlingOf } from '../requests.ts';
import { creditSteps, deliverySteps, entrySteps, mergeSteps } from '../timeline.ts';

type Record = ResponseBody<'getCredit'>;

async function readCredit(id: string) {
  const [credit, deliveries] = await Promise.all([ask({ operation: 'getCredit', params: { id } }), readDeliveries(id)]);
  const entries = await readEntries([id], credit.receivedAt, credit.accountId);
  return { credit, steps: mergeSteps(creditSteps(credit), entrySteps(entries), deliverySteps(deliveries)) };
}

/** Shows money that no open charge expected, its returns, and what the company may do with it. */
export function Credit({ id }: { id: string }) {
  return (
    <Load name={`credit ${id}`} read={() => readCredit(id)}>
      {({ credit, steps }) => (
        <>
          <CreditFacts of={credit} />
          <Returns of={credit.returns} />
          <TimelineList steps={steps} />
          <Requests of={credit} />
        </>
      )}
    </Load>
  );
}

function CreditFacts({ of }: { of: Record }) {
  const { columns, order } = t();
  const { payer, orderId, returnedAmount } = of;
  return (
    <Facts
      of={[
        [columns.status, <Status of={of.status} />],
        [columns.amount, showDecimal(of.amount.value)],
        [columns.returned, returnedAmount && showDecimal(returnedAmount.value)],
        [columns.why, of.reason],
        [columns.payer, payer && `${payer.name}, ${payer.document.type} ${payer.document.number}`],
        [columns.order, orderId && <a href={linkTo(['pay-ins', orderId])}>{orderId.slice(0, 8)}</a>],
        [columns.account, <a href={linkTo(['ledger', of.accountId])}>{order.ledger}</a>],
        [columns.id, <WholeId of={of.id} />],
        [columns.at, <Exactly at={of.receivedAt} />],
        [columns.endToEndId, <WholeId of={of.endToEndId} />],
      ]}
    />
  );
}

/** Shows the returns of a credit. An open one has a button that settles it, as its bank would. */
function Returns({ of }: { of: Record['returns'] }) {
  const { columns, credit: labels, record } = t();
  return (
    <Section title={labels.returns} class="panel">
      {of.length === 0 && <Nothing>{labels.noReturn}</Nothing>}
      {of.length > 0 && (
        <Table
          name={labels.returns}
          columns={[
            ...([columns.id, columns.at, [columns.amount, 'number'], columns.status] as const),
            ...([[columns.endToEndId, 'long'], [columns.error, 'long'], record.transitions] as const),
          ]}
          rows={of.map((returned) => ({
            key: returned.returnId,
            cells: [
              <Id of={returned.returnId} />,
              <Time at={returned.createdAt} />,
              showDecimal(returned.amount.value),
              <Status of={returned.status} />,
              returned.endToEndId ?? '–',
              returned.errorMessage,
              returned.status === 'PENDING' && (
                <ActButton label={returnIsSettled} asked={settlingOf(returned.returnId)} />
              ),
            ],
          }))}
        />
      )}
    </Section>
  );
}

/** Offers what an open credit allows: its return, and its assignment before the first return. */
function Requests({ of: { id, status, amount, returns } }: { of: Record }) {
  const left = refundableOf({ amount }, returns);
  if (status !== 'OPEN' || left === 0) return null;
  const isWhole = left === refundableOf({ amount }, []);
  return (
    <Section title={t().record.youMayAsk} label={t().record.requests} class="panel danger">
      <Return id={id} />
      {isWhole && <Assign id={id} />}
    </Section>
  );
}

function Return({ id }: { id: string }) {
  const { return: label, returnAmount } = t().credit;
  const asked = (text: string): Ask => {
    const value = text.replace(',', '.');
    const body = text === '' ? {} : { amount: { currency: 'BRL', value } };
    return { operation: 'returnCredit', params: { id }, body };
  };
  return <WrittenRequest label={label} input={returnAmount} asked={asked} />;
}

function Assign({ id }: { id: string }) {
  const { assign, assignTo } = t().credit;
  const asked = (orderId: string): Ask => ({ operation: 'assignCredit', params: { id }, body: { orderId } });
  return <WrittenRequest label={assign} input={assignTo} asked={asked} />;
}

import type { Ask, ResponseBody } from '#console/protocol.ts';
import { ask, readDeliveries, readEntries } from '../api.ts';
import { showDecimal } from '../format.ts';
import { t } from '../language.ts';
import { Load } from '../loading.tsx';
import { Facts, Section, Status, WholeId } from '../parts/basics.tsx';
import { TimelineList, Transitions } from '../parts/record.tsx';
import { Exactly } from '../parts/times.tsx';
import { WrittenRequest } from '../parts/written-request.tsx';
import { linkTo } from '../route.ts';
import { deliverySteps, disputeSteps, entrySteps, mergeSteps } from '../timeline.ts';

type Record = ResponseBody<'getDispute'>;

async function readDispute(id: string) {
  const [dispute, deliveries] = await Promise.all([
    ask({ operation: 'getDispute', params: { id } }),
    readDeliveries(id),
  ]);
  const entries = await readEntries([id], dispute.createdAt, dispute.accountId);
  return { dispute, steps: mergeSteps(disputeSteps(dispute), entrySteps(entries), deliverySteps(deliveries)) };
}

/** Shows a payment that its payer claims back, its defence, and what the bank may say of it. */
export function Dispute({ id }: { id: string }) {
  return (
    <Load name={`dispute ${id}`} read={() => readDispute(id)}>
      {({ dispute, steps }) => (
        <>
          <DisputeFacts of={dispute} />
          <TimelineList steps={steps} />
          <Transitions resource="DISPUTE" status={dispute.status} id={id} />
          {dispute.status === 'OPEN' && <Defend id={id} />}
        </>
      )}
    </Load>
  );
}

function DisputeFacts({ of }: { of: Record }) {
  const { columns, dispute, order } = t();
  const { orderId, creditId, defences } = of;
  return (
    <Facts
      of={[
        [columns.status, <Status of={of.status} />],
        [columns.amount, showDecimal(of.amount.value)],
        [columns.blocked, showDecimal(of.blockedAmount.value)],
        [columns.returned, showDecimal(of.returnedAmount.value)],
        [columns.why, `${of.kind}: ${of.reason}`],
        [columns.due, <Exactly at={of.dueAt} />],
        [dispute.defence, defences[0]?.text],
        [columns.order, orderId && <a href={linkTo(['pay-ins', orderId])}>{orderId.slice(0, 8)}</a>],
        [t().titles.credit, creditId && <a href={linkTo(['credits', creditId])}>{creditId.slice(0, 8)}</a>],
        [columns.account, <a href={linkTo(['ledger', of.accountId])}>{order.ledger}</a>],
        [columns.id, <WholeId of={of.id} />],
        [columns.at, <Exactly at={of.createdAt} />],
        [columns.endToEndId, <WholeId of={of.endToEndId} />],
      ]}
    />
  );
}

function Defend({ id }: { id: string }) {
  const { defend, text } = t().dispute;
  const asked = (written: string): Ask => ({
    operation: 'defendDispute',
    params: { id },
    body: { text: written },
  });
  return (
    <Section title={t().record.youMayAsk} label={t().record.requests} class="panel danger">
      <WrittenRequest label={defend} input={text} asked={asked} />
    </Section>
  );
}

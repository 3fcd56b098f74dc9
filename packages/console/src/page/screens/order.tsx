import type { ResponseBody } from '#console/protocol.ts';
import type { PayInStatus } from '#shared/pay-ins/model.ts';
import { ask, readDeliveries, readEntries } from '../api.ts';
import { owedOf, refundableOf } from '../figures.ts';
import { showAmount, showDecimal } from '../format.ts';
import { t } from '../language.ts';
import { Load } from '../loading.tsx';
import { Facts, Section, Status, WholeId } from '../parts/basics.tsx';
import { Table } from '../parts/table.tsx';
import { Exactly } from '../parts/times.tsx';
import type { Own } from '../parts/record.tsx';
import { ActButton, CodeOfPayer, Transitions, OwnRequests, TimelineList } from '../parts/record.tsx';
import { linkTo } from '../route.ts';
import { transitionsOf } from '../requests.ts';
import { deliverySteps, entrySteps, mergeSteps, payInSteps, payoutSteps, refundSteps } from '../timeline.ts';

async function readPayIn(id: string) {
  const [payIn, refunds, deliveries] = await Promise.all([
    ask({ operation: 'getPayIn', params: { id } }),
    ask({ operation: 'listRefunds', params: { id } }),
    readDeliveries(id),
  ]);
  const entries = await readEntries([id], payIn.createdAt);
  return {
    payIn,
    left: refundableOf(payIn, refunds.data),
    steps: mergeSteps(payInSteps(payIn), refundSteps(refunds.data), entrySteps(entries), deliverySteps(deliveries)),
  };
}

export function PayIn({ id }: { id: string }) {
  const { columns } = t();
  return (
    <Load name={`pay-in ${id}`} read={() => readPayIn(id)}>
      {({ payIn, left, steps }) => (
        <>
          <Facts
            of={[
              [columns.status, <Status of={payIn.status} />],
              [columns.amount, showDecimal(payIn.amount.value)],
              [columns.refunded, payIn.refundedAmount && showDecimal(payIn.refundedAmount.value)],
              [columns.description, payIn.description],
              [columns.externalId, payIn.externalId],
              [columns.id, <WholeId of={payIn.id} />],
              [columns.expires, <Exactly at={payIn.expireDateTime} />],
              [columns.created, <Exactly at={payIn.createdAt} />],
              [columns.endToEndId, payIn.endToEndId && <WholeId of={payIn.endToEndId} />],
              [columns.error, payIn.errorMessage],
            ]}
          />
          <Transitions resource="PAY_IN" status={payIn.status} id={id} />
          <CodeOfPayer code={payIn.qrcodeData} image={payIn.qrcodeImageBase64} />
          <TimelineList steps={steps} />
          <OwnRequests of={ownRequests(id, payIn.status, left)} />
        </>
      )}
    </Load>
  );
}

function ownRequests(id: string, status: PayInStatus, left: number): readonly Own[] {
  if (status === 'PENDING') return [{ label: t().order.cancel, asked: { operation: 'cancelPayIn', params: { id } } }];
  if (status !== 'PAID' || left === 0) return [];
  return [
    { label: t().order.refund, asked: { operation: 'refundPayIn', params: { id }, body: {} } },
    { label: t().dispute.claim, asked: { operation: 'forceDisputeStatus', body: { orderId: id, status: 'OPEN' } } },
  ];
}

async function readPayout(id: string) {
  const [payout, deliveries] = await Promise.all([ask({ operation: 'getPayout', params: { id } }), readDeliveries(id)]);
  const orderIds = [id, ...(payout.batch?.transactions.map((transaction) => transaction.id) ?? [])];
  const entries = await readEntries(orderIds, payout.createdAt);
  return { payout, steps: mergeSteps(payoutSteps(payout), entrySteps(entries), deliverySteps(deliveries)) };
}

export function Payout({ id }: { id: string }) {
  const { columns } = t();
  return (
    <Load name={`payout ${id}`} read={() => readPayout(id)}>
      {({ payout, steps }) => (
        <>
          <Facts
            of={[
              [columns.status, <Status of={payout.status} />],
              [columns.amount, showDecimal(payout.amount)],
              [
                columns.receiver,
                `${payout.receiver.name}, ${payout.receiver.document.type} ${payout.receiver.document.number}`,
              ],
              [payout.paymentMethod, <code>{targetOf(payout.paymentData)}</code>],
              [columns.from, <a href={linkTo(['ledger', payout.accountId])}>{t().order.ledger}</a>],
              [columns.description, payout.description],
              [columns.externalId, payout.externalId],
              [columns.id, <WholeId of={payout.id} />],
              [columns.endToEndId, payout.endToEndId && <WholeId of={payout.endToEndId} />],
              [columns.controlNumber, payout.controlNumber && <code>{payout.controlNumber}</code>],
              [columns.error, payout.errorMessage],
            ]}
          />
          <Transitions resource="PAYOUT" status={payout.status} id={id} />
          {payout.batch && <Batch of={payout.batch} />}
          <TimelineList steps={steps} />
        </>
      )}
    </Load>
  );
}

/** Returns the destination of a payout: the key, the BR Code, or the bank account. */
function targetOf({ pixKey, qrcodeData, bankAccount }: ResponseBody<'getPayout'>['paymentData']) {
  if (bankAccount === undefined) return pixKey ?? qrcodeData;
  const { ispb, bankNumber, branchNumber, accountNumber, accountType } = bankAccount;
  return `${[bankNumber, ispb].filter(Boolean).join(' / ')}, ${branchNumber}, ${accountNumber} (${accountType})`;
}

type BatchOf = NonNullable<ResponseBody<'getPayout'>['batch']>;

/** Shows the payments into which a payout was split, each with its own transitions. */
function Batch({ of }: { of: BatchOf }) {
  const { columns } = t();
  const { paidAmount, pendingAmount, transactions } = of;
  const owed = owedOf(of);
  return (
    <Section title={t().order.batchPayments} label={t().order.batch} class="panel">
      <p>{t().order.batchSum(showDecimal(paidAmount), showDecimal(pendingAmount))}</p>
      {owed > 0 && <p class="warning">{t().order.batchOwed(showAmount(owed))}</p>}
      <Table
        name={t().order.batchPayments}
        columns={[
          ...([columns.number, columns.status, [columns.amount, 'number']] as const),
          ...([[columns.error, 'long'], t().record.transitions] as const),
        ]}
        rows={transactions.map(({ id, sequence, status, amount, errorMessage }) => ({
          key: id,
          cells: [
            sequence,
            <Status of={status} />,
            showDecimal(amount),
            errorMessage,
            <span class="buttons">
              {status === 'PENDING' &&
                transitionsOf('PAYOUT', status, id).map(({ trigger, asked }) => (
                  <ActButton key={trigger} label={trigger} asked={asked} />
                ))}
            </span>,
          ],
        }))}
      />
    </Section>
  );
}

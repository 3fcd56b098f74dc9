import type { ResponseBody } from '#infra/console/protocol.ts';
import type { PayInStatus } from '#shared/pay-ins/model.ts';
import { ask, readDeliveries, readEntries } from '../api.ts';
import { showDecimal, showInstant } from '../format.ts';
import { Load } from '../loading.tsx';
import { Facts, Section, Status, Table } from '../parts/basics.tsx';
import type { Own } from '../parts/record.tsx';
import { ActButton, CodeOfPayer, Transitions, OwnRequests, TimelineList } from '../parts/record.tsx';
import { linkTo } from '../place.ts';
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
    isGivenBack: refunds.data.some(({ status }) => status !== 'FAILED'),
    steps: mergeSteps(payInSteps(payIn), refundSteps(refunds.data), entrySteps(entries), deliverySteps(deliveries)),
  };
}

export function PayIn({ id }: { id: string }) {
  return (
    <Load name={`pay-in ${id}`} read={() => readPayIn(id)}>
      {({ payIn, isGivenBack, steps }) => (
        <>
          <Facts
            of={[
              ['Status', <Status of={payIn.status} />],
              ['Amount', showDecimal(payIn.amount.value)],
              ['Description', payIn.description],
              ['External id', payIn.externalId],
              ['Id', <code>{payIn.id}</code>],
              ['Expires', showInstant(payIn.expireDateTime)],
              ['End-to-end id', payIn.endToEndId && <code>{payIn.endToEndId}</code>],
              ['Error', payIn.errorMessage],
            ]}
          />
          <Transitions resource="PAY_IN" status={payIn.status} id={id} />
          <OwnRequests of={ownRequests(id, payIn.status, isGivenBack)} />
          <CodeOfPayer code={payIn.qrcodeData} image={payIn.qrcodeImageBase64} />
          <TimelineList steps={steps} />
        </>
      )}
    </Load>
  );
}

function ownRequests(id: string, status: PayInStatus, isGivenBack: boolean): readonly Own[] {
  if (status === 'PENDING') return [{ label: 'Cancel', asked: { operation: 'cancelPayIn', params: { id } } }];
  if (status !== 'PAID' || isGivenBack) return [];
  return [{ label: 'Refund', asked: { operation: 'refundPayIn', params: { id }, body: {} } }];
}

async function readPayout(id: string) {
  const [payout, deliveries] = await Promise.all([ask({ operation: 'getPayout', params: { id } }), readDeliveries(id)]);
  const orderIds = [id, ...(payout.batch?.transactions.map((one) => one.id) ?? [])];
  const entries = await readEntries(orderIds, payout.createdAt);
  return { payout, steps: mergeSteps(payoutSteps(payout), entrySteps(entries), deliverySteps(deliveries)) };
}

export function Payout({ id }: { id: string }) {
  return (
    <Load name={`payout ${id}`} read={() => readPayout(id)}>
      {({ payout, steps }) => (
        <>
          <Facts
            of={[
              ['Status', <Status of={payout.status} />],
              ['Amount', showDecimal(payout.amount)],
              [
                'Receiver',
                `${payout.receiver.name}, ${payout.receiver.document.type} ${payout.receiver.document.number}`,
              ],
              [payout.paymentMethod, <code>{targetOf(payout.paymentData)}</code>],
              ['From', <a href={linkTo(['ledger', payout.accountId])}>the account’s ledger</a>],
              ['Description', payout.description],
              ['External id', payout.externalId],
              ['Id', <code>{payout.id}</code>],
              ['End-to-end id', payout.endToEndId && <code>{payout.endToEndId}</code>],
              ['Control number', payout.controlNumber && <code>{payout.controlNumber}</code>],
              ['Error', payout.errorMessage],
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

/** Where the money was asked to go: the key, the code, or the account with its bank. */
function targetOf({ pixKey, qrcodeData, bankAccount }: ResponseBody<'getPayout'>['paymentData']) {
  if (bankAccount === undefined) return pixKey ?? qrcodeData;
  const { ispb, bankNumber, branchNumber, accountNumber, accountType } = bankAccount;
  return `${[bankNumber, ispb].filter(Boolean).join(' / ')}, ${branchNumber}, ${accountNumber} (${accountType})`;
}

type BatchOf = NonNullable<ResponseBody<'getPayout'>['batch']>;

/** The payments into which a payout was split: each can be moved by itself. */
function Batch({ of: { paidAmount, pendingAmount, transactions } }: { of: BatchOf }) {
  return (
    <Section title="Payments of the batch" label="Batch">
      <p>
        {showDecimal(paidAmount)} paid, {showDecimal(pendingAmount)} pending.
      </p>
      <Table
        name="Payments of the batch"
        columns={['No.', 'Status', ['Amount', 'number'], 'Transitions']}
        rows={transactions.map(({ id, sequence, status, amount }) => ({
          key: id,
          cells: [
            sequence,
            <Status of={status} />,
            showDecimal(amount),
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

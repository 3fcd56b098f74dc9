import type { PayInStatus } from '#shared/pay-ins/model.ts';
import { Moves, OwnRequests } from '../parts/actions.tsx';
import type { Own } from '../parts/actions.tsx';
import { Facts, Status } from '../parts/basics.tsx';
import { CodeOfPayer } from '../parts/code-of-payer.tsx';
import { TimelineList } from '../parts/timeline-list.tsx';
import { showDecimal, showInstant } from '../format.ts';
import { Show, useLoaded } from '../loading.tsx';
import { readDeliveries, readEntries } from '../read.ts';
import { ask } from '../asking.ts';
import { deliverySteps, entrySteps, mergeSteps, payInSteps, refundSteps } from '../timeline.ts';

async function readPayIn(id: string) {
  const [payIn, refunds, deliveries] = await Promise.all([
    ask({ operation: 'getPayIn', params: { id } }),
    ask({ operation: 'listRefunds', params: { id } }),
    readDeliveries(id),
  ]);
  const entries = await readEntries([id], payIn.createdAt);
  return {
    payIn,
    steps: mergeSteps(payInSteps(payIn), refundSteps(refunds.data), entrySteps(entries), deliverySteps(deliveries)),
  };
}

export function PayIn({ id }: { id: string }) {
  const loaded = useLoaded(`pay-in ${id}`, () => readPayIn(id));
  return (
    <Show of={loaded}>
      {({ payIn, steps }) => (
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
          <Moves resource="PAY_IN" status={payIn.status} id={id} />
          <OwnRequests of={ownRequests(id, payIn.status)} />
          <CodeOfPayer code={payIn.qrcodeData} image={payIn.qrcodeImageBase64} />
          <TimelineList steps={steps} />
        </>
      )}
    </Show>
  );
}

function ownRequests(id: string, status: PayInStatus): readonly Own[] {
  if (status === 'PENDING') return [{ label: 'Cancel', asked: { operation: 'cancelPayIn', params: { id } } }];
  if (status !== 'PAID') return [];
  return [{ label: 'Refund', asked: { operation: 'refundPayIn', params: { id }, body: {} } }];
}

import type { ResponseBody, Signed } from '#infra/console/protocol.ts';
import { deliveryStatuses } from '#shared/platform/outbox/delivery.ts';
import { ask, fetchJson } from '../api.ts';
import { showInstant } from '../format.ts';
import { Load } from '../loading.tsx';
import type { Row } from '../parts/basics.tsx';
import { Curl, Facts, Id, Section, Status, Table } from '../parts/basics.tsx';
import { Choice, Listing, Written } from '../parts/listing.tsx';
import { ActButton } from '../parts/record.tsx';
import { go, linkTo, place } from '../place.ts';

type Entry = ResponseBody<'listWebhookDeliveries'>['data'][number];

/** The log of deliveries, live. */
export function Deliveries() {
  return (
    <Listing
      name="Deliveries"
      columns={['Id', 'Event', 'Status', ['Attempts', 'number'], 'Created', 'Last', 'Next', '']}
      operation="listWebhookDeliveries"
      read={(query) => ask({ operation: 'listWebhookDeliveries', query })}
      row={rowOf}
    >
      <Choice label="Status" field="status" from={deliveryStatuses} />
      <Written label="Event" field="event" placeholder="ORDER-PAYIN.PAID" />
    </Listing>
  );
}

function rowOf({ id, event, status, pausedReason, attemptsCount, ...times }: Entry): Row {
  const resend = { operation: 'resendWebhookDelivery', params: { id } } as const;
  const isDone = status === 'DELIVERED' || status === 'FAILED';
  return {
    key: id,
    cells: [
      <Id of={id} href={linkTo(['deliveries', id])} />,
      event,
      <>
        <Status of={status} /> {pausedReason}
      </>,
      attemptsCount,
      ...[times.createdAt, times.lastAttemptAt, times.nextAttemptAt].map(showInstant),
      isDone && <ActButton label="Resend" asked={resend} done="Sent again, as a delivery of its own." />,
    ],
  };
}

type Of = ResponseBody<'getWebhookDelivery'>;

async function readDelivery(id: string) {
  const [delivery, signed] = await Promise.all([
    ask({ operation: 'getWebhookDelivery', params: { id } }),
    fetchJson<Signed>(`companies/${place.value.companyId}/signatures/${id}`),
  ]);
  return { delivery, signed };
}

const screens: Readonly<Record<Of['resource']['type'], string | undefined>> = {
  PAY_IN: 'pay-ins',
  PAYOUT: 'payouts',
  SUBSCRIPTION: 'subscriptions',
  SCHEDULED_PAYMENT: undefined,
  WEBHOOK_TEST: undefined,
};

export function Delivery({ id }: { id: string }) {
  const resend = { operation: 'resendWebhookDelivery', params: { id } } as const;
  return (
    <Load name={`delivery ${id}`} read={() => readDelivery(id)}>
      {({ delivery, signed }) => (
        <>
          <DeliveryFacts of={delivery} />
          <div class="cure">
            <ActButton
              label="Resend"
              asked={resend}
              done="Sent again, as this delivery of its own."
              then={({ id: again }) => {
                go(linkTo(['deliveries', again]));
              }}
            />
            <Curl of={resend} />
            <Curl of={{ operation: 'getWebhookDelivery', params: { id } }} label="This delivery as curl" />
          </div>
          <Attempts of={delivery} />
          <Bytes of={signed} />
        </>
      )}
    </Load>
  );
}

function DeliveryFacts({ of }: { of: Of }) {
  const { type, id } = of.resource;
  const screen = screens[type];
  return (
    <Facts
      of={[
        ['Status', <Status of={of.status} />],
        ['Event', of.event],
        ['About', screen === undefined ? `${type} ${id}` : <a href={linkTo([screen, id])}>{type}</a>],
        ['Id (webhook-id)', <code>{of.id}</code>],
        ['Endpoint', of.endpoint && <code>{of.endpoint}</code>],
        ['Created', showInstant(of.createdAt)],
        ['Next attempt', of.nextAttemptAt && showInstant(of.nextAttemptAt)],
        ['Waits because', of.pausedReason],
      ]}
    />
  );
}

function Attempts({ of: { attempts } }: { of: Of }) {
  return (
    <Section title="Attempts">
      {attempts.length === 0 && <p class="quiet">None yet.</p>}
      {attempts.length > 0 && (
        <Table
          name="Attempts"
          columns={['No.', 'At', 'Outcome', 'Answer', ['Took', 'number'], 'Return code']}
          rows={attempts.map(({ number, at, outcome, httpStatus, error, durationMs, returnCode }) => ({
            key: number,
            cells: [
              number,
              showInstant(at),
              <Status of={outcome} />,
              [httpStatus, error].filter((one) => one !== null).join(' '),
              durationMs === null ? '–' : `${String(durationMs)} ms`,
              returnCode,
            ],
          }))}
        />
      )}
    </Section>
  );
}

/** The exact bytes that a receiver must have got, and their signatures. */
function Bytes({ of: { body, bytes, attempts } }: { of: Signed }) {
  return (
    <Section title={`Exact body, ${bytes} bytes`} label="Bytes">
      <pre class="whole" tabIndex={0}>
        {body}
      </pre>
      <h2>Signatures, computed again</h2>
      <p class="quiet">
        With the secret of the sandbox file: after a rotation the new one must be there. Compare them with what your
        receiver got.
      </p>
      {attempts.map(({ number, headers }) => (
        <details key={number} open={number === 1}>
          <summary>Attempt {number}</summary>
          <Facts
            of={Object.entries(headers).map(([name, value]) => [name, <code class="whole">{value}</code>] as const)}
          />
        </details>
      ))}
    </Section>
  );
}

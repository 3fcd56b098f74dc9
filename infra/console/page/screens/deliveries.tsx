import type { Answered, Signed } from '#infra/console/protocol.ts';
import { deliveryStatuses } from '#shared/platform/outbox/delivery.ts';
import { ask, fetchJson } from '../api.ts';
import { showInstant } from '../format.ts';
import { Show, useLoaded } from '../loading.tsx';
import { Curl, Facts, Id, Status, Table } from '../parts/basics.tsx';
import { Choice, Listing, Written } from '../parts/listing.tsx';
import { ActButton } from '../parts/record.tsx';
import { go, linkTo, place } from '../place.ts';

type Entry = Answered<'listWebhookDeliveries'>['data'][number];

/** The log of deliveries, live. */
export function Deliveries() {
  const { companyId, query } = place.value;
  const asked = { operation: 'listWebhookDeliveries', query: { limit: '50', ...query } } as const;
  const loaded = useLoaded(JSON.stringify([companyId, 'deliveries', query]), () => ask(asked));
  const { status = '', event = '' } = query;
  return (
    <>
      <div class="filters" role="search">
        <Choice
          name="Status"
          value={status}
          from={deliveryStatuses}
          take={(value) => {
            go(linkTo(['deliveries'], { status: value, event }));
          }}
        />
        <Written
          name="Event"
          value={event}
          placeholder="ORDER-PAYIN.PAID"
          take={(value) => {
            go(linkTo(['deliveries'], { status, event: value }));
          }}
        />
      </div>
      <Show of={loaded}>
        {(page) => (
          <Listing
            name="Deliveries"
            columns={['Id', 'Event', 'Status', 'Attempts', 'Created', 'Last', 'Next', '']}
            at="deliveries"
            asked={asked}
            page={page}
            row={(entry) => <DeliveryRow key={entry.id} of={entry} />}
          />
        )}
      </Show>
    </>
  );
}

function DeliveryRow({ of }: { of: Entry }) {
  const { id, event, status, attemptsCount, createdAt, lastAttemptAt, nextAttemptAt, pausedReason } = of;
  const isDone = status === 'DELIVERED' || status === 'FAILED';
  return (
    <tr>
      <td>
        <a href={linkTo(['deliveries', id])}>
          <Id of={id} />
        </a>
      </td>
      <td>{event}</td>
      <td>
        <Status of={status} /> {pausedReason}
      </td>
      <td class="number">{attemptsCount}</td>
      <td>{showInstant(createdAt)}</td>
      <td>{showInstant(lastAttemptAt)}</td>
      <td>{showInstant(nextAttemptAt)}</td>
      <td>
        {isDone && (
          <ActButton
            label="Resend"
            asked={{ operation: 'resendWebhookDelivery', params: { id } }}
            done="Sent again, as a delivery of its own."
          />
        )}
      </td>
    </tr>
  );
}

type Of = Answered<'getWebhookDelivery'>;

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
  const loaded = useLoaded(`delivery ${id}`, () => readDelivery(id));
  return (
    <Show of={loaded}>
      {({ delivery, signed }) => (
        <>
          <DeliveryFacts of={delivery} />
          <div class="cure">
            <ActButton
              label="Resend"
              asked={{ operation: 'resendWebhookDelivery', params: { id } }}
              done="Sent again, as this delivery of its own."
              then={({ id: again }) => {
                go(linkTo(['deliveries', again]));
              }}
            />
            <Curl of={{ operation: 'resendWebhookDelivery', params: { id } }} />
            <Curl of={{ operation: 'getWebhookDelivery', params: { id } }} label="This delivery as curl" />
          </div>
          <Attempts of={delivery} />
          <Bytes of={signed} />
        </>
      )}
    </Show>
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
        ['Endpoint', of.endpoint && <code class="long">{of.endpoint}</code>],
        ['Created', showInstant(of.createdAt)],
        ['Next attempt', of.nextAttemptAt && showInstant(of.nextAttemptAt)],
        ['Waits because', of.pausedReason],
      ]}
    />
  );
}

function Attempts({ of: { attempts } }: { of: Of }) {
  return (
    <section aria-label="Attempts">
      <h2>Attempts</h2>
      {attempts.length === 0 && <p class="quiet">None yet.</p>}
      {attempts.length > 0 && (
        <Table name="Attempts" columns={['No.', 'At', 'Outcome', 'Answer', 'Took', 'Return code']}>
          {attempts.map(({ number, at, outcome, httpStatus, error, durationMs, returnCode }) => (
            <tr key={number}>
              <td>{number}</td>
              <td>{showInstant(at)}</td>
              <td>
                <Status of={outcome} />
              </td>
              <td>{[httpStatus, error].filter((one) => one !== null).join(' ')}</td>
              <td class="number">{durationMs === null ? '–' : `${String(durationMs)} ms`}</td>
              <td>{returnCode}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

/** What a receiver must have got, byte by byte, and how it is signed. */
function Bytes({ of: { body, bytes, attempts } }: { of: Signed }) {
  return (
    <section aria-label="Bytes">
      <h2>Exact body, {bytes} bytes</h2>
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
    </section>
  );
}

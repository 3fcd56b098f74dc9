import { deliveryStatuses } from '#shared/platform/outbox/delivery.ts';
import type { Answered } from '#infra/console/operations.ts';
import { ActButton } from '../parts/actions.tsx';
import { Id, Status } from '../parts/basics.tsx';
import { Choice, Listing, Written } from '../parts/listing.tsx';
import { showInstant } from '../format.ts';
import { Show, useLoaded } from '../loading.tsx';
import { go, linkTo, place } from '../place.ts';
import { ask } from '../asking.ts';

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

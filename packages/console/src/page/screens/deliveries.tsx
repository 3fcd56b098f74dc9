import type { ComponentChildren } from 'preact';
import type { ResponseBody, Signed } from '#console/protocol.ts';
import { deliveryStatuses } from '#shared/platform/outbox/delivery.ts';
import { ask, fetchJson, readDelivery, readEach } from '../api.ts';
import { showInstant } from '../format.ts';
import { t } from '../language.ts';
import { Load } from '../loading.tsx';
import { Code, Curl, Facts, Id, Nothing, Section, Status, WholeId } from '../parts/basics.tsx';
import { Choice, Listing, Written } from '../parts/listing.tsx';
import { ActButton } from '../parts/record.tsx';
import type { Row } from '../parts/table.tsx';
import { Exactly, Time } from '../parts/times.tsx';
import { go, linkTo, route } from '../route.ts';

type Entry = ResponseBody<'listWebhookDeliveries'>['data'][number];
type Of = ResponseBody<'getWebhookDelivery'>;
type Attempt = Of['attempts'][number];

/** Shows the log of deliveries, live, each with the last response of the endpoint. */
export function Deliveries() {
  const { columns, deliveries } = t();
  return (
    <Listing
      name={t().menu.deliveries}
      columns={[
        ...([columns.id, columns.event, columns.status, columns.about, [columns.endpoint, 'long']] as const),
        ...([columns.lastAnswer, columns.created, ''] as const),
      ]}
      operation="listWebhookDeliveries"
      read={async (query) => {
        const page = await ask({ operation: 'listWebhookDeliveries', query });
        const whole = await readEach(page.data, readDelivery);
        return { ...page, data: page.data.map((entry, at) => ({ entry, last: whole[at]?.attempts.at(-1) })) };
      }}
      row={rowOf}
      empty={deliveries.none}
    >
      <Choice label={columns.status} field="status" from={deliveryStatuses} />
      <Choice label={deliveries.open} field="open" from={['true']} names={{ true: deliveries.onlyOpen }} />
      <Written label={columns.event} field="event" placeholder="ORDER-PAYIN.PAID" />
      <Written label={columns.about} field="resourceId" placeholder={deliveries.idOfOrder} />
    </Listing>
  );
}

function rowOf({ entry, last }: { entry: Entry; last: Attempt | undefined }): Row {
  const { id, event, status, resource, endpoint, pausedReason, attemptsCount, createdAt, nextAttemptAt } = entry;
  const resend = { operation: 'resendWebhookDelivery', params: { id } } as const;
  const isDone = status === 'DELIVERED' || status === 'FAILED';
  return {
    key: id,
    cells: [
      <Id of={id} href={linkTo(['deliveries', id])} />,
      event,
      <>
        <Status of={status} /> {pausedReason && <small>{pausedReason}</small>}
        {nextAttemptAt !== null && (
          <div>
            <small>
              {t().columns.next} <Time at={nextAttemptAt} isReal />
            </small>
          </div>
        )}
      </>,
      <About of={resource} />,
      endpoint === null ? '–' : <code>{endpoint}</code>,
      <>
        {answerOf(last)}
        <div>
          <small>{t().timeline.attempts(attemptsCount)}</small>
        </div>
      </>,
      <Time at={createdAt} isReal />,
      isDone && <ActButton label={t().deliveries.resend} asked={resend} done={t().deliveries.resent} />,
    ],
  };
}

/** Returns an endpoint's response: its status, or the error. */
function answerOf(attempt: Attempt | undefined): string {
  if (attempt === undefined) return '–';
  return [attempt.httpStatus, attempt.error].filter((part) => part !== null).join(' ');
}

const screens: Readonly<Record<Of['resource']['type'], string | undefined>> = {
  PAY_IN: 'pay-ins',
  PAYOUT: 'payouts',
  CREDIT: 'credits',
  DISPUTE: 'disputes',
  SUBSCRIPTION: 'subscriptions',
  // The address of its screen needs the id of its subscription, which the search finds.
  SCHEDULED_PAYMENT: 'search',
  WEBHOOK_TEST: undefined,
};

function About({ of: { type, id } }: { of: Of['resource'] }) {
  const screen = screens[type];
  if (screen === undefined) return <>{type}</>;
  const link = screen === 'search' ? linkTo([screen], { text: id }) : linkTo([screen, id]);
  return (
    <a href={link} title={id}>
      {type} <code>{id.slice(0, 8)}</code>
    </a>
  );
}

async function readWhole(id: string) {
  const [delivery, signed] = await Promise.all([
    ask({ operation: 'getWebhookDelivery', params: { id } }),
    fetchJson<Signed>(`companies/${route.value.companyId}/signatures/${id}`),
  ]);
  return { delivery, signed };
}

export function Delivery({ id }: { id: string }) {
  const resend = { operation: 'resendWebhookDelivery', params: { id } } as const;
  const labels = t().deliveries;
  return (
    <Load name={`delivery ${id}`} read={() => readWhole(id)}>
      {({ delivery, signed }) => (
        <>
          <DeliveryFacts of={delivery} />
          <div class="cure">
            <ActButton
              label={labels.resend}
              asked={resend}
              tone={delivery.status === 'FAILED' ? 'primary' : 'plain'}
              done={labels.resent}
              then={({ id: again }) => {
                go(linkTo(['deliveries', again]));
              }}
            />
            <Curl of={resend} label={`${labels.resend}, curl`} />
            <Curl of={{ operation: 'getWebhookDelivery', params: { id } }} label={labels.asCurl} />
          </div>
          <Story of={delivery} signed={signed} />
          <Bytes of={signed} />
        </>
      )}
    </Load>
  );
}

function DeliveryFacts({ of }: { of: Of }) {
  const { columns } = t();
  return (
    <Facts
      of={[
        [columns.status, <Status of={of.status} />],
        [columns.event, of.event],
        [columns.about, <About of={of.resource} />],
        ['webhook-id', <WholeId of={of.webhookId} name="webhook-id" />],
        [t().deliveries.resendOf, of.resendOf && <Id of={of.resendOf} href={linkTo(['deliveries', of.resendOf])} />],
        [t().deliveries.resentAs, of.resentAs && <Id of={of.resentAs} href={linkTo(['deliveries', of.resentAs])} />],
        [columns.endpoint, of.endpoint && <code>{of.endpoint}</code>],
        [columns.created, <Exactly at={of.createdAt} isReal />],
        [columns.next, of.nextAttemptAt && <Exactly at={of.nextAttemptAt} isReal />],
        [t().deliveries.waitsBecause, of.pausedReason],
      ]}
    />
  );
}

/** Shows a delivery from the event to the next attempt, one step in each row; each attempt with its signed headers. */
function Story({ of, signed }: { of: Of; signed: Signed }) {
  const labels = t().deliveries;
  return (
    <Section title={labels.story} label={labels.attempts} class="panel">
      <ol class="moments">
        <Moment at={of.createdAt} tone="good" title={labels.written}>
          {of.event}
        </Moment>
        {of.attempts.map((attempt) => (
          <Moment
            key={attempt.number}
            at={attempt.at}
            tone={attempt.outcome === 'DELIVERED' ? 'good' : 'bad'}
            title={labels.attempt(attempt.number)}
          >
            <Status of={attempt.outcome} /> <span class="answer">{answerOf(attempt)}</span>{' '}
            <small>
              {attempt.durationMs !== null && labels.took(attempt.durationMs)}{' '}
              {attempt.returnCode !== null && `returnCode ${attempt.returnCode}`}
            </small>
            <Headers of={signed.attempts.find(({ number }) => number === attempt.number)?.headers} />
          </Moment>
        ))}
        {of.nextAttemptAt !== null && (
          <Moment at={of.nextAttemptAt} tone="waits" title={labels.nextAttempt}>
            {of.pausedReason}
          </Moment>
        )}
        {of.attempts.length === 0 && of.nextAttemptAt === null && (
          <li class="waits">
            <Nothing>{of.status === 'HELD' ? labels.held : labels.underWay}</Nothing>
          </li>
        )}
      </ol>
      <p class="quiet">{labels.signedAgain}</p>
    </Section>
  );
}

type MomentProps = { at: string; tone: 'good' | 'waits' | 'bad'; title: string; children: ComponentChildren };

function Moment({ at, tone, title, children }: MomentProps) {
  return (
    <li class={tone}>
      <strong>{title}</strong>{' '}
      <time dateTime={at} class="quiet">
        {showInstant(at)}
      </time>
      <div>{children}</div>
    </li>
  );
}

function Headers({ of }: { of: Readonly<Record<string, string>> | undefined }) {
  if (of === undefined) return null;
  return (
    <details>
      <summary>{t().deliveries.signatures}</summary>
      <Facts of={Object.entries(of).map(([name, value]) => [name, <code class="whole">{value}</code>] as const)} />
    </details>
  );
}

/** Shows the body in readable form, and the exact bytes that were sent and signed. */
function Bytes({ of: { body, bytes } }: { of: Signed }) {
  const labels = t().deliveries;
  return (
    <>
      <Section title={labels.body} class="panel">
        <Code text={JSON.stringify(JSON.parse(body), null, 2)} what={labels.body} />
      </Section>
      <Section title={labels.exactBody(bytes)} label={labels.bytes} class="panel">
        <p class="quiet">{labels.exactBodyIs}</p>
        <Code text={body} what={labels.bytes} />
      </Section>
    </>
  );
}

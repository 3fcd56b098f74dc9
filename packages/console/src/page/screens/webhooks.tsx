import type { ResponseBody } from '#console/protocol.ts';
import type { WebhookType } from '#shared/platform/outbox/delivery.ts';
import { webhookTypes } from '#shared/platform/outbox/delivery.ts';
import type { LocalDate } from '#shared/core/brasilia-time.ts';
import { instantAt, isLocalDate } from '#shared/core/brasilia-time.ts';
import { useState } from 'preact/hooks';
import { ask, environment } from '../api.ts';
import { shownState, stateOf, toneOfState } from '../endpoint-state.ts';
import { showDate } from '../format.ts';
import { t } from '../language.ts';
import { Load } from '../loading.tsx';
import { Command, Curl, Nothing, Section, Status } from '../parts/basics.tsx';
import { DateInput, valueTo } from '../parts/inputs.tsx';
import { ActButton } from '../parts/record.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/times.tsx';
import { go, linkTo, route } from '../route.ts';
import { curlLine } from '../requests.ts';

type Settings = ResponseBody<'getWebhookSettings'>;
type Health = ResponseBody<'listWebhookEndpoints'>['data'][number];

async function readWebhooks() {
  const [settings, health] = await Promise.all([
    ask({ operation: 'getWebhookSettings' }),
    ask({ operation: 'listWebhookEndpoints', query: { limit: '100' } }),
  ]);
  return { settings, health: health.data };
}

/** Shows the endpoints and their health, and offers the actions after an outage and a new secret. */
export function Webhooks() {
  return (
    <>
      <Load name={`${route.value.companyId} webhooks`} read={readWebhooks}>
        {({ settings, health }) => (
          <>
            <Registered of={settings} health={health} />
            <Change key={settings.updatedAt} settings={settings} />
            <Unwell of={health} />
          </>
        )}
      </Load>
      <Outage />
      <Secret />
    </>
  );
}

function Registered({ of: { events, status }, health }: { of: Settings; health: readonly Health[] }) {
  const { columns, webhooks } = t();
  return (
    <Section title={webhooks.endpoints}>
      {status === 'INACTIVE' && <p class="warning">{webhooks.operatorHolds}</p>}
      {events.length === 0 && <Nothing>{webhooks.noEndpoint}</Nothing>}
      {events.length > 0 && (
        <Table
          name={webhooks.endpoints}
          columns={[columns.type, [columns.endpoint, 'long'], columns.status, columns.health, columns.failingSince, '']}
          rows={events.map((event) => ({
            key: event.type,
            cells: [
              event.type,
              <code>{event.endpoint}</code>,
              <Status of={event.status} />,
              <State of={stateOf(event.endpoint, health)} />,
              <Time at={failingSinceOf(event, health)} isReal />,
              event.status === 'ACTIVE' && <Test type={event.type} />,
            ],
          }))}
        />
      )}
    </Section>
  );
}

function State({ of }: { of: ReturnType<typeof stateOf> }) {
  return <Status of={of} tone={toneOfState(of)} />;
}

/** Returns the instant since when an endpoint fails, even if its circuit is not open. */
function failingSinceOf({ endpoint, failingSince }: Settings['events'][number], health: readonly Health[]) {
  return failingSince ?? health.find((state) => state.endpoint === endpoint)?.failingSince;
}

function Test({ type }: { type: WebhookType }) {
  return (
    <ActButton
      label={t().webhooks.test(type)}
      asked={{ operation: 'testWebhook', body: { type } }}
      done={t().webhooks.tested}
      then={({ id }) => {
        go(linkTo(['deliveries', id]));
      }}
    />
  );
}

type Written = { readonly endpoint: string; readonly isActive: boolean };

/** Changes all endpoints in one request, because the service replaces them together. Leaves out empty addresses. */
function Change({ settings }: { settings: Settings }) {
  const before = (type: WebhookType): Written => {
    const found = settings.events.find((event) => event.type === type);
    return { endpoint: found?.endpoint ?? '', isActive: found?.status !== 'INACTIVE' };
  };
  const [changed, setChanged] = useState<Partial<Record<WebhookType, Written>>>({});
  const of = (type: WebhookType): Written => changed[type] ?? before(type);
  const events = webhookTypes
    .filter((type) => of(type).endpoint.trim() !== '')
    .map((type) => ({
      type,
      endpoint: of(type).endpoint.trim(),
      status: of(type).isActive ? 'ACTIVE' : 'INACTIVE',
    }));
  const asked = { operation: 'replaceWebhookSettings', body: { events } } as const;
  const labels = t().webhooks;
  return (
    <Section title={labels.change} class="panel">
      {webhookTypes.map((type) => (
        <EndpointFields
          key={type}
          type={type}
          of={of(type)}
          set={(part) => {
            setChanged({ ...changed, [type]: { ...of(type), ...part } });
          }}
        />
      ))}
      <div class="cure">
        <ActButton label={labels.save} asked={asked} done={labels.saved} tone="primary" />
        <Curl of={asked} />
      </div>
    </Section>
  );
}

type Fields = { type: WebhookType; of: Written; set: (part: Partial<Written>) => void };

function EndpointFields({ type, of, set }: Fields) {
  const labels = t().webhooks;
  return (
    <div class="endpoints">
      <label for={`endpoint-${type}`}>{type}</label>
      <input
        id={`endpoint-${type}`}
        spellcheck={false}
        placeholder={environment.value?.receiver ?? 'https://…'}
        value={of.endpoint}
        onInput={valueTo((endpoint) => {
          set({ endpoint });
        })}
      />
      <label>
        <input
          type="checkbox"
          checked={of.isActive}
          aria-label={labels.isActive(type)}
          onChange={({ currentTarget: { checked } }) => {
            set({ isActive: checked });
          }}
        />{' '}
        {labels.active}
      </label>
    </div>
  );
}

function Unwell({ of }: { of: readonly Health[] }) {
  const { columns, webhooks } = t();
  return (
    <Section title={webhooks.unwell}>
      {of.length === 0 && <Nothing>{webhooks.allWell}</Nothing>}
      {of.length > 0 && (
        <Table
          name={webhooks.unwell}
          columns={[
            ...([[columns.endpoint, 'long'], columns.state, columns.failingSince, columns.why] as const),
            ...([[columns.waiting, 'number'], ''] as const),
          ]}
          rows={of.map(({ endpoint, state, failingSince, reason, waiting, waitingExact, expectedEmptyAt }) => ({
            key: endpoint,
            cells: [
              <code>{endpoint}</code>,
              <State of={shownState({ state, ...(failingSince !== undefined && { failingSince }) })} />,
              <Time at={failingSince} isReal />,
              reason ?? '–',
              <>
                {waitingExact ? waiting : webhooks.orMore(waiting)}{' '}
                {expectedEmptyAt !== undefined && (
                  <small>
                    {webhooks.emptyAt} <Time at={expectedEmptyAt} isReal />
                  </small>
                )}
              </>,
              // A busy endpoint or a closed circuit has nothing to be released from.
              state !== 'BUSY' && state !== 'CLOSED' && (
                <ActButton
                  label={webhooks.release}
                  asked={{ operation: 'releaseWebhookEndpoint', body: { endpoint } }}
                  done={webhooks.released}
                />
              ),
            ],
          }))}
        />
      )}
    </Section>
  );
}

/** Offers to resend the failed and held deliveries since a day. */
function Outage() {
  const [day, setDay] = useState('');
  const labels = t().webhooks;
  return (
    <Section title={labels.afterOutage} class="panel">
      <div class="cure">
        <DateInput label={labels.since} value={day} set={setDay} />
        {isLocalDate(day) && <ResendSince day={day} />}
      </div>
      <p class="quiet">{labels.resendMeans}</p>
    </Section>
  );
}

function ResendSince({ day }: { day: LocalDate }) {
  const asked = { operation: 'resendWebhookDeliveries', body: { createdFrom: instantAt(day, '00:00') } } as const;
  return (
    <>
      <ActButton label={t().webhooks.resendSince(showDate(day))} asked={asked} done={t().webhooks.resendBegins} />
      <Curl of={asked} />
    </>
  );
}

const overlaps = [3600, 86_400, 604_800] as const;

/** Shows the command for a new secret. The secret is returned once: in a terminal, never on a page. */
function Secret() {
  const [overlap, setOverlap] = useState<number>(86_400);
  const labels = t().webhooks;
  const url = `${environment.value?.baseUrl ?? ''}/order/v1/webhook/rotate-secret`;
  const rotation = (key: string): string => curlLine({ method: 'POST', url, key, body: { overlapSeconds: overlap } });
  const names: Readonly<Record<number, string>> = {
    3600: labels.anHour,
    86_400: labels.aDay,
    604_800: labels.aWeek,
  };
  return (
    <Section title={labels.newSecret} class="panel">
      <p>{labels.secretOnce}</p>
      <label>
        {labels.overlap}{' '}
        <select
          value={overlap}
          onChange={valueTo((value) => {
            setOverlap(Number(value));
          })}
        >
          {overlaps.map((seconds) => (
            <option key={seconds} value={seconds}>
              {names[seconds]}
            </option>
          ))}
        </select>
      </label>
      <Command key={overlap} of={rotation} what={labels.newSecret} />
    </Section>
  );
}

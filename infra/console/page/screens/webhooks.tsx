import { useState } from 'preact/hooks';
import type { ResponseBody } from '#infra/console/protocol.ts';
import type { WebhookType } from '#shared/platform/outbox/delivery.ts';
import { webhookTypes } from '#shared/platform/outbox/delivery.ts';
import type { LocalDate } from '#shared/core/brasilia-time.ts';
import { instantAt, isLocalDate } from '#shared/core/brasilia-time.ts';
import { ask, environment } from '../api.ts';
import { showDate, showInstant } from '../format.ts';
import { Load } from '../loading.tsx';
import { Curl, DateInput, Section, Status, Table, valueTo } from '../parts/basics.tsx';
import { ActButton } from '../parts/record.tsx';
import { go, linkTo, place } from '../place.ts';

type Settings = ResponseBody<'getWebhookSettings'>;
type Health = ResponseBody<'listWebhookEndpoints'>['data'][number];

async function readWebhooks() {
  const [settings, health] = await Promise.all([
    ask({ operation: 'getWebhookSettings' }),
    ask({ operation: 'listWebhookEndpoints', query: { limit: '100' } }),
  ]);
  return { settings, health: health.data };
}

/** Where notifications go, how these addresses are, and what an outage leaves to do. */
export function Webhooks() {
  return (
    <>
      <Load name={`${place.value.companyId} webhooks`} read={readWebhooks}>
        {({ settings, health }) => (
          <>
            <Registered of={settings} />
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

function Registered({ of: { events, status } }: { of: Settings }) {
  return (
    <Section title="Endpoints">
      {status === 'INACTIVE' && <p>The operator of the service holds all notifications of this company.</p>}
      {events.length === 0 && <p class="quiet">None yet: what comes up is held.</p>}
      {events.length > 0 && (
        <Table
          name="Endpoints"
          columns={['Type', ['Endpoint', 'long'], 'Status', 'Failing since', '']}
          rows={events.map((one) => ({
            key: one.type,
            cells: [
              one.type,
              <code>{one.endpoint}</code>,
              <Status of={one.status} />,
              showInstant(one.failingSince),
              one.status === 'ACTIVE' && <Test type={one.type} />,
            ],
          }))}
        />
      )}
    </Section>
  );
}

function Test({ type }: { type: WebhookType }) {
  return (
    <ActButton
      label={`Test ${type}`}
      asked={{ operation: 'testWebhook', body: { type } }}
      done="A test notification is on its way."
      then={({ id }) => {
        go(linkTo(['deliveries', id]));
      }}
    />
  );
}

type Written = { readonly endpoint: string; readonly isActive: boolean };

/** All endpoints at once, as the service takes them. A type without an address gets none. */
function Change({ settings }: { settings: Settings }) {
  const before = (type: WebhookType): Written => {
    const found = settings.events.find((one) => one.type === type);
    return { endpoint: found?.endpoint ?? '', isActive: found?.status !== 'INACTIVE' };
  };
  const [changed, setChanged] = useState<Partial<Record<WebhookType, Written>>>({});
  const of = (type: WebhookType): Written => changed[type] ?? before(type);
  const set = (type: WebhookType, part: Partial<Written>): void => {
    setChanged({ ...changed, [type]: { ...of(type), ...part } });
  };
  const events = webhookTypes
    .filter((type) => of(type).endpoint.trim() !== '')
    .map((type) => ({
      ...{ type, endpoint: of(type).endpoint.trim(), status: of(type).isActive ? 'ACTIVE' : 'INACTIVE' },
    }));
  const asked = { operation: 'replaceWebhookSettings', body: { events } } as const;
  return (
    <Section title="Change them">
      {webhookTypes.map((type) => (
        <div key={type} class="endpoints">
          <label for={`endpoint-${type}`}>{type}</label>
          <input
            id={`endpoint-${type}`}
            spellcheck={false}
            placeholder={environment.value?.receiver ?? 'https://…'}
            value={of(type).endpoint}
            onInput={valueTo((endpoint) => {
              set(type, { endpoint });
            })}
          />
          <label>
            <input
              type="checkbox"
              checked={of(type).isActive}
              aria-label={`${type} is active`}
              onChange={({ currentTarget: { checked } }) => {
                set(type, { isActive: checked });
              }}
            />{' '}
            active
          </label>
        </div>
      ))}
      <div class="cure">
        <ActButton label="Save" asked={asked} done="Saved: what was held for an active endpoint is on its way." />
        <Curl of={asked} />
      </div>
    </Section>
  );
}

function Unwell({ of }: { of: readonly Health[] }) {
  return (
    <Section title="Addresses that are not well">
      {of.length === 0 && <p class="quiet">None, and nothing waits.</p>}
      {of.length > 0 && (
        <Table
          name="Addresses that are not well"
          columns={[['Address', 'long'], 'State', 'Failing since', 'Why', ['Waiting', 'number'], '']}
          rows={of.map(({ endpoint, state, failingSince, reason, waiting, waitingExact }) => ({
            key: endpoint,
            cells: [
              <code>{endpoint}</code>,
              <Status of={state} />,
              showInstant(failingSince),
              reason ?? '–',
              `${String(waiting)}${waitingExact ? '' : ' or more'}`,
              // One that answers has nothing to be released from.
              state !== 'BUSY' && state !== 'CLOSED' && (
                <ActButton
                  label="Release"
                  asked={{ operation: 'releaseWebhookEndpoint', body: { endpoint } }}
                  done="Released: one notification goes at once, the others follow as they are taken."
                />
              ),
            ],
          }))}
        />
      )}
    </Section>
  );
}

/** Everything that failed or was held since a day. */
function Outage() {
  const [day, setDay] = useState('');
  return (
    <Section title="After an outage">
      <div class="cure">
        <DateInput label="Since" value={day} set={setDay} />
        {isLocalDate(day) && <ResendSince day={day} />}
      </div>
      <p class="quiet">Sends each delivery that failed or is held since that day once more, oldest first.</p>
    </Section>
  );
}

function ResendSince({ day }: { day: LocalDate }) {
  const asked = { operation: 'resendWebhookDeliveries', body: { createdFrom: instantAt(day, '00:00') } } as const;
  return (
    <>
      <ActButton
        label={`Send again since ${showDate(day)}`}
        asked={asked}
        done="It begins within a minute, at up to 500 a minute."
      />
      <Curl of={asked} />
    </>
  );
}

/** The new secret is shown once: in a terminal, never on a page. */
function Secret() {
  const rotation = [
    `curl -s -X POST '${environment.value?.baseUrl ?? ''}/order/v1/webhook/rotate-secret'`,
    '-H "authorization: Bearer $TOKEN" -H "idempotency-key: $(uuidgen)"',
    `-H 'content-type: application/json' -d '{ "overlapSeconds": 86400 }'`,
  ].join(' \\\n  ');
  return (
    <Section title="A new secret">
      <p>
        It is shown once, so ask for it in a terminal. For the overlap, here a day, every notification is signed with
        both: give the new one to your receiver within that time.
      </p>
      <pre tabIndex={0}>{rotation}</pre>
    </Section>
  );
}

import type { ResponseBody } from '#infra/console/protocol.ts';
import { webhookTypes } from '#shared/platform/outbox/delivery.ts';
import { ask, environment, readEach } from '../api.ts';
import { showDecimal, showInstant } from '../format.ts';
import { Load } from '../loading.tsx';
import { Curl, Id, Section, Status, Table } from '../parts/basics.tsx';
import { ActButton } from '../parts/record.tsx';
import { linkTo, place } from '../place.ts';

async function readHome() {
  const [accounts, clock, held, failed, settings] = await Promise.all([
    ask({ operation: 'listAccounts', query: { limit: '50' } }),
    // Production has no clock of its own to show.
    ask({ operation: 'getClock' }).catch(() => undefined),
    ask({ operation: 'listWebhookDeliveries', query: { status: 'HELD', limit: '100' } }),
    ask({ operation: 'listWebhookDeliveries', query: { status: 'FAILED', limit: '100' } }),
    ask({ operation: 'getWebhookSettings' }),
  ]);
  const balances = await readEach(accounts.data, ({ id }) =>
    ask({ operation: 'getBalance', params: { accountId: id } }),
  );
  return { accounts: accounts.data, balances, clock, held, failed, settings };
}

export function Home() {
  return (
    <>
      <Companies />
      <Load name={place.value.companyId} read={readHome}>
        {({ accounts, balances, clock, held, failed, settings }) => (
          <>
            <Section title="Accounts">
              <Table
                name="Accounts"
                columns={['Account', 'Holder', 'Status', ['Available', 'number'], ['Reserved', 'number']]}
                rows={accounts.map(({ id, fullName, status }, at) => ({
                  key: id,
                  cells: [
                    <Id of={id} href={linkTo(['ledger', id])} />,
                    fullName,
                    <Status of={status} />,
                    showDecimal(balances[at]?.available ?? '0.00'),
                    showDecimal(balances[at]?.reserved ?? '0.00'),
                  ],
                }))}
              />
            </Section>
            <Section title="Clock">
              {clock === undefined ? (
                <p class="quiet">This environment has no clock to turn.</p>
              ) : (
                <p>
                  <a href={linkTo(['clock'])}>{showInstant(clock.now)}</a>{' '}
                  {clock.offsetSeconds === 0 ? 'real time' : 'ahead of real time'}, in Brasilia
                </p>
              )}
            </Section>
            <Waiting held={held} failed={failed} settings={settings} />
          </>
        )}
      </Load>
    </>
  );
}

/** Those of the sandbox file. */
export function Companies() {
  const companies = environment.value?.companies ?? [];
  return (
    <Section title="Companies">
      <ul class="plain">
        {companies.map(({ companyId, name }) => (
          <li key={companyId}>
            <a href={`#/${companyId}`} aria-current={companyId === place.value.companyId ? 'true' : undefined}>
              {name}
            </a>{' '}
            <code>{companyId}</code>
          </li>
        ))}
      </ul>
    </Section>
  );
}

type Page = ResponseBody<'listWebhookDeliveries'>;

function Waiting({
  held,
  failed,
  settings,
}: {
  held: Page;
  failed: Page;
  settings: ResponseBody<'getWebhookSettings'>;
}) {
  const count = ({ data, hasNext }: Page): string => `${String(data.length)}${hasNext ? ' or more' : ''}`;
  return (
    <Section title="Notifications that did not arrive">
      <p>
        <a href={linkTo(['deliveries'], { status: 'HELD' })}>{count(held)} held</a>: nobody may be called for them.{' '}
        <a href={linkTo(['deliveries'], { status: 'FAILED' })}>{count(failed)} failed</a>: five attempts, none taken.
      </p>
      {held.data.length > 0 && <Cure settings={settings} />}
      {failed.data.length > 0 && (
        <p class="quiet">Open a failed one to see why, and to send it again once its endpoint takes it.</p>
      )}
    </Section>
  );
}

/** Registers the built-in receiver where a type has no active endpoint; what was held then arrives. */
function Cure({ settings: { events, status } }: { settings: ResponseBody<'getWebhookSettings'> }) {
  const receiver = environment.value?.receiver;
  if (status === 'INACTIVE')
    return (
      <p>The operator of the service holds all notifications of this company: only the operator can release them.</p>
    );
  const kept = events
    .filter((one) => one.status === 'ACTIVE')
    .map(({ type, endpoint }) => ({ type, endpoint, status: 'ACTIVE' }));
  const missing = webhookTypes.filter((type) => kept.every((one) => one.type !== type));
  if (missing.length === 0)
    return <p>Every type has an active endpoint: they are on their way, or held by the operator.</p>;
  if (receiver === undefined)
    return (
      <p>
        Register an endpoint for {missing.join(', ')} (PUT /order/v1/webhook), or start the console with --receiver.
      </p>
    );
  const added = missing.map((type) => ({ type, endpoint: receiver, status: 'ACTIVE' }));
  const asked = { operation: 'replaceWebhookSettings', body: { events: [...kept, ...added] } } as const;
  return (
    <div class="cure">
      <ActButton label="Register the built-in receiver" asked={asked} done="Registered: what was held is on its way." />
      <span>
        for {missing.join(', ')} at <code>{receiver}</code>
      </span>
      <Curl of={asked} />
    </div>
  );
}

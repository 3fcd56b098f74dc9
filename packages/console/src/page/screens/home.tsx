import type { ResponseBody } from '#console/protocol.ts';
import { webhookTypes } from '#shared/platform/outbox/delivery.ts';
import { brasiliaDate, instantAt, plusDays } from '#shared/core/brasilia-time.ts';
import { ask, environment, readEach, readNewest, readNow } from '../api.ts';
import { deliveriesByDay, firstDayOfPlot, moneyByDay } from '../figures.ts';
import { showDecimal } from '../format.ts';
import { t } from '../language.ts';
import { Load } from '../loading.tsx';
import { Curl, Id, Nothing, Section, Status } from '../parts/basics.tsx';
import { DeliveryPlot, MoneyPlot } from '../parts/plots.tsx';
import { ActButton } from '../parts/record.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/times.tsx';
import { linkTo, route } from '../route.ts';

async function readHome() {
  const [accounts, held, failed, settings, subscriptions] = await Promise.all([
    ask({ operation: 'listAccounts', query: { limit: '50' } }),
    ask({ operation: 'listWebhookDeliveries', query: { status: 'HELD', open: 'true', limit: '100' } }),
    ask({ operation: 'listWebhookDeliveries', query: { status: 'FAILED', open: 'true', limit: '100' } }),
    ask({ operation: 'getWebhookSettings' }),
    ask({ operation: 'listSubscriptions', query: { limit: '1' } }),
  ]);
  const balances = await readEach(accounts.data, ({ id }) =>
    ask({ operation: 'getBalance', params: { accountId: id } }),
  );
  return { accounts: accounts.data, balances, held, failed, settings, subscriptions };
}

/** Reads the statements of the last fourteen days and the newest 100 deliveries. */
async function readFigures() {
  const [accounts, deliveries, now] = await Promise.all([
    ask({ operation: 'listAccounts', query: { limit: '50' } }),
    ask({ operation: 'listWebhookDeliveries', query: { limit: '100' } }),
    readNow(),
  ]);
  const today = brasiliaDate(now);
  const days = {
    createdFrom: instantAt(firstDayOfPlot(today), '00:00'),
    createdTo: instantAt(plusDays(today, 1), '00:00'),
  };
  const statements = await readEach(accounts.data, ({ id }) =>
    readNewest((query) => ask({ operation: 'listEntries', params: { accountId: id }, query: { ...query, ...days } })),
  );
  return {
    money: moneyByDay(statements, today),
    deliveries: deliveriesByDay(deliveries.data),
    latest: deliveries.data.slice(0, 8),
    isCut: accounts.hasNext || deliveries.hasNext || statements.some((statement) => statement.isCut),
  };
}

export function Home() {
  return (
    <>
      <Load name={`${route.value.companyId} home`} read={readHome}>
        {({ accounts, balances, held, failed, settings, subscriptions }) => (
          <>
            <NextSteps settings={settings} hasOrder={subscriptions.data.length > 0} failed={failed} held={held} />
            <Accounts of={accounts} balances={balances} />
            <Waiting held={held} failed={failed} settings={settings} />
          </>
        )}
      </Load>
      <Figures />
      <Companies />
    </>
  );
}

function Figures() {
  const { home, columns } = t();
  return (
    <Load name={`${route.value.companyId} figures`} read={readFigures}>
      {({ money, deliveries, latest, isCut }) => (
        <>
          <div class="pair">
            <Section title={home.money} class="panel">
              <MoneyPlot of={money} />
            </Section>
            <Section title={home.deliveries} class="panel">
              <DeliveryPlot of={deliveries} />
            </Section>
          </div>
          <p class="quiet">{isCut ? home.lastHundred : home.everything}</p>
          <Section title={home.latest}>
            {latest.length === 0 && <Nothing>{home.noEvent}</Nothing>}
            {latest.length > 0 && (
              <Table
                name={home.latest}
                columns={[columns.event, columns.status, columns.id, columns.created]}
                rows={latest.map(({ id, event, status, createdAt }) => ({
                  key: id,
                  cells: [
                    event,
                    <Status of={status} />,
                    <Id of={id} href={linkTo(['deliveries', id])} />,
                    <Time at={createdAt} isReal />,
                  ],
                }))}
              />
            )}
          </Section>
        </>
      )}
    </Load>
  );
}

type Settings = ResponseBody<'getWebhookSettings'>;
type Page = ResponseBody<'listWebhookDeliveries'>;
type Steps = { settings: Settings; hasOrder: boolean; held: Page; failed: Page };

/** Shows the next steps of a new company, until all of them are done. */
function NextSteps({ settings, hasOrder, held, failed }: Steps) {
  const { home } = t();
  const hasEndpoint = settings.events.some(({ status }) => status === 'ACTIVE');
  const steps = [
    { done: hasOrder, title: home.firstOrder, text: home.firstOrderIs, link: linkTo(['new', 'journey-3']) },
    { done: hasEndpoint, title: home.firstEndpoint, text: home.firstEndpointIs, link: linkTo(['webhooks']) },
    {
      done: held.data.length + failed.data.length === 0,
      title: home.allArrive,
      text: home.allArriveIs,
      link: linkTo(['deliveries'], { status: held.data.length > 0 ? 'HELD' : 'FAILED', open: 'true' }),
    },
  ];
  const next = steps.find(({ done }) => !done);
  if (next === undefined)
    return (
      <p class="cure">
        <a class="button primary" href={linkTo(['new'])}>
          {t().orders.new}
        </a>
      </p>
    );
  return (
    <Section title={home.next} class="panel steps">
      <ol>
        {steps.map(({ done, title, text, link }) => (
          <li key={title} class={done ? 'done' : ''}>
            <strong>{title}</strong>
            {done && <span class="unseen"> ({home.isDone})</span>}
            <p>{text}</p>
            {title === next.title && (
              <a class="button primary" href={link}>
                {home.begin}
              </a>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}

type Account = ResponseBody<'listAccounts'>['data'][number];

function Accounts({ of, balances }: { of: readonly Account[]; balances: readonly ResponseBody<'getBalance'>[] }) {
  const { columns, ledger } = t();
  return (
    <Section title={ledger.accounts}>
      <Table
        name={ledger.accounts}
        columns={[
          ...([columns.account, columns.holder, columns.status] as const),
          ...([
            [columns.available, 'number'],
            [columns.reserved, 'number'],
          ] as const),
        ]}
        rows={of.map(({ id, fullName, status }, at) => ({
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
  );
}

/** Lists the companies of the console's environment. */
export function Companies() {
  const companies = environment.value?.companies ?? [];
  return (
    <Section title={t().home.companies}>
      <ul class="plain">
        {companies.map(({ companyId, name }) => (
          <li key={companyId}>
            <a href={`#/${companyId}`} aria-current={companyId === route.value.companyId ? 'true' : undefined}>
              {name}
            </a>{' '}
            <code>{companyId}</code>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Waiting({ held, failed, settings }: { held: Page; failed: Page; settings: Settings }) {
  const { home } = t();
  const count = ({ data, hasNext }: Page): string => (hasNext ? home.orMore(data.length) : String(data.length));
  return (
    <Section title={home.notArrived}>
      <p>
        <a href={linkTo(['deliveries'], { status: 'HELD', open: 'true' })}>{home.held(count(held))}</a>: {home.heldIs}{' '}
        <a href={linkTo(['deliveries'], { status: 'FAILED', open: 'true' })}>{home.failed(count(failed))}</a>:{' '}
        {home.failedIs}
      </p>
      {held.data.length > 0 && <Cure settings={settings} />}
      {failed.data.length > 0 && <p class="quiet">{home.openFailed}</p>}
    </Section>
  );
}

/** Offers to register the built-in receiver for types without an active endpoint; held deliveries are then sent. */
function Cure({ settings: { events, status } }: { settings: Settings }) {
  const { home, webhooks } = t();
  const receiver = environment.value?.receiver;
  if (status === 'INACTIVE') return <p class="warning">{webhooks.operatorHolds}</p>;
  const kept = events
    .filter((event) => event.status === 'ACTIVE')
    .map(({ type, endpoint }) => ({ type, endpoint, status: 'ACTIVE' }));
  const missing = webhookTypes.filter((type) => kept.every((event) => event.type !== type));
  if (missing.length === 0) return <p>{home.onTheirWay}</p>;
  if (receiver === undefined) return <p>{home.registerOne(missing.join(', '))}</p>;
  const added = missing.map((type) => ({ type, endpoint: receiver, status: 'ACTIVE' }));
  const asked = { operation: 'replaceWebhookSettings', body: { events: [...kept, ...added] } } as const;
  return (
    <div class="cure">
      <ActButton label={home.registerBuiltIn} asked={asked} done={home.registered} />
      <span>
        {missing.join(', ')} → <code>{receiver}</code>
      </span>
      <Curl of={asked} />
    </div>
  );
}

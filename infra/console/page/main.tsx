import type { ComponentChildren } from 'preact';
import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Environment } from '../protocol.ts';
import { changes, describe, environment, fetchJson, notice } from './api.ts';
import { Failure } from './loading.tsx';
import { FieldErrors, Links } from './parts/basics.tsx';
import { go, place } from './place.ts';
import { Clock } from './screens/clock.tsx';
import { Deliveries, Delivery } from './screens/deliveries.tsx';
import { Companies, Home } from './screens/home.tsx';
import { Ledger } from './screens/ledger.tsx';
import { New } from './screens/new.tsx';
import { PayIn, Payout } from './screens/order.tsx';
import { Orders } from './screens/orders.tsx';
import { Phone } from './screens/phone.tsx';
import { Requests } from './screens/requests.tsx';
import { ScheduledPayment, Subscription } from './screens/subscription.tsx';
import { Webhooks } from './screens/webhooks.tsx';

type Screen = {
  readonly title: string;
  readonly view: () => ComponentChildren;
  /** The screen of one record of the list. */
  readonly record?: readonly [title: string, view: (id: string) => ComponentChildren];
};

const menu = Object.entries({
  ...{ '': 'Home', subscriptions: 'Orders', phone: 'Payer’s phone', deliveries: 'Deliveries' },
  ...{ webhooks: 'Webhooks', ledger: 'Ledger', clock: 'Clock', requests: 'Requests' },
});
const orders = new Set(['subscriptions', 'pay-ins', 'payouts', 'new']);

const list = (kind: string, title: string, ...record: NonNullable<Screen['record']>): readonly [string, Screen] => [
  kind,
  { title, view: () => <Orders kind={kind} />, record },
];
const home: Screen = { title: 'Home', view: () => <Home /> };
const screens: ReadonlyMap<string, Screen> = new Map([
  list('pay-ins', 'Pay-ins', 'Pay-in', (id) => <PayIn key={id} id={id} />),
  list('payouts', 'Payouts', 'Payout', (id) => <Payout key={id} id={id} />),
  list('subscriptions', 'Subscriptions', 'Subscription', (id) => <Subscription key={id} id={id} />),
  [
    'deliveries',
    { title: 'Deliveries', view: () => <Deliveries />, record: ['Delivery', (id) => <Delivery key={id} id={id} />] },
  ],
  ['new', { title: 'New', view: () => <New /> }],
  ['phone', { title: 'Payer’s phone', view: () => <Phone /> }],
  ['webhooks', { title: 'Webhooks', view: () => <Webhooks key={place.value.companyId} /> }],
  ['ledger', { title: 'Ledger', view: () => <Ledger /> }],
  ['clock', { title: 'Clock', view: () => <Clock /> }],
  ['requests', { title: 'Requests', view: () => <Requests /> }],
]);

/** The screen at an address. */
function screenAt(screen: string, [id, below, paymentId]: readonly string[]): Screen {
  if (screen === 'subscriptions' && id !== undefined && below === 'payments' && paymentId !== undefined)
    return {
      title: 'Scheduled payment',
      view: () => <ScheduledPayment key={paymentId} id={id} paymentId={paymentId} />,
    };
  const { title, view, record } = screens.get(screen) ?? home;
  return id === undefined || record === undefined ? { title, view } : { title: record[0], view: () => record[1](id) };
}

function Page() {
  const { companyId, screen, rest } = place.value;
  const { title, view } = screenAt(screen, rest);
  const companies = environment.value?.companies ?? [];
  const isKnown = companies.length === 0 || companies.some((one) => one.companyId === companyId);
  const heading = useRef<HTMLHeadingElement>(null);
  const address = [companyId, screen, ...rest].join('/');
  useEffect(() => {
    document.title = `${title} · Console`;
    // A screen reader then says the new title.
    heading.current?.focus({ preventScroll: true });
  }, [address, title]);
  return (
    <>
      <a
        class="unseen"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          heading.current?.focus();
        }}
      >
        To the content
      </a>
      <Header />
      <main id="main">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {isKnown ? view() : <UnknownCompany />}
      </main>
      <Foot />
    </>
  );
}

/** Another one in its place would be taken for the one that was meant. */
function UnknownCompany() {
  return (
    <>
      <Failure>There is no company {place.value.companyId} in the sandbox file of this console.</Failure>
      <Companies />
    </>
  );
}

function Header() {
  const { companyId, screen } = place.value;
  const companies = environment.value?.companies ?? [];
  const current = orders.has(screen) ? 'subscriptions' : screen;
  return (
    <header>
      <Links
        label="Screens"
        current={current}
        of={menu.map(([name, title]) => [name, title, name === '' ? [] : [name]])}
      />
      <label class="company">
        <span class="unseen">Company</span>
        <select
          value={companyId}
          onChange={({ currentTarget }) => {
            go(`#/${currentTarget.value}/${current}`);
          }}
        >
          {companies.map(({ companyId: id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </header>
  );
}

/** The outcome of the last action; a screen reader says it. */
function Foot() {
  const said = notice.value;
  return (
    <div role="status" class={said === undefined ? 'foot empty' : said.ok ? 'foot good' : 'foot bad'}>
      {said && (
        <>
          <span>{said.text}</span>
          <FieldErrors of={said.details} />
          {said.requestId !== undefined && <small>request {said.requestId}</small>}
          <button
            type="button"
            onClick={() => {
              notice.value = undefined;
            }}
            aria-label="Close the message"
          >
            ×
          </button>
        </>
      )}
    </div>
  );
}

async function begin(): Promise<void> {
  try {
    const known = await fetchJson<Environment>('environment');
    environment.value = known;
    const [first] = known.companies;
    if (place.value.companyId === '' && first !== undefined) {
      location.replace(`#/${first.companyId}`);
      await new Promise((moved) => {
        addEventListener('hashchange', moved, { once: true });
      });
    }
    if (first === undefined)
      notice.value = {
        ok: false,
        text: 'The sandbox file has no company with a client: make one with npm run operator.',
      };
  } catch (error) {
    notice.value = describe(error);
  }
  changes.value += 1;
  render(<Page />, document.body);
}

void begin();

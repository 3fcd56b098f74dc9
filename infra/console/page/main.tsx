import type { ComponentChildren } from 'preact';
import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Environment } from '../protocol.ts';
import { changes, describe, environment, fetchJson, notice } from './api.ts';
import { go, linkTo, place } from './place.ts';
import { Clock } from './screens/clock.tsx';
import { Deliveries, Delivery } from './screens/deliveries.tsx';
import { Home } from './screens/home.tsx';
import { Ledger } from './screens/ledger.tsx';
import { New } from './screens/new.tsx';
import { PayIn, Payout } from './screens/order.tsx';
import { Orders } from './screens/orders.tsx';
import { Phone } from './screens/phone.tsx';
import { Requests } from './screens/requests.tsx';
import { ScheduledPayment, Subscription } from './screens/subscription.tsx';

type Screen = { readonly title: string; readonly view: () => ComponentChildren };

const menu: readonly (readonly [screen: string, title: string])[] = [
  ['', 'Home'],
  ['subscriptions', 'Orders'],
  ['phone', 'Payer’s phone'],
  ['deliveries', 'Deliveries'],
  ['ledger', 'Ledger'],
  ['clock', 'Clock'],
  ['requests', 'Requests'],
];
const orders = new Set(['subscriptions', 'pay-ins', 'payouts', 'new']);

/** The screen at an address. */
function screenAt(screen: string, [id, below, inner]: readonly string[]): Screen {
  const list = (kind: string, title: string, one: string, view: (id: string) => ComponentChildren): Screen =>
    id === undefined ? { title, view: () => <Orders kind={kind} /> } : { title: one, view: () => view(id) };
  switch (screen) {
    case 'pay-ins':
      return list(screen, 'Pay-ins', 'Pay-in', (of) => <PayIn key={of} id={of} />);
    case 'payouts':
      return list(screen, 'Payouts', 'Payout', (of) => <Payout key={of} id={of} />);
    case 'subscriptions':
      if (id !== undefined && below === 'payments' && inner !== undefined)
        return { title: 'Scheduled payment', view: () => <ScheduledPayment key={inner} id={id} paymentId={inner} /> };
      return list(screen, 'Subscriptions', 'Subscription', (of) => <Subscription key={of} id={of} />);
    case 'deliveries':
      if (id === undefined) return { title: 'Deliveries', view: () => <Deliveries /> };
      return { title: 'Delivery', view: () => <Delivery key={id} id={id} /> };
    case 'new':
      return { title: 'New', view: () => <New /> };
    case 'phone':
      return { title: 'Payer’s phone', view: () => <Phone /> };
    case 'ledger':
      return { title: 'Ledger', view: () => <Ledger /> };
    case 'clock':
      return { title: 'Clock', view: () => <Clock /> };
    case 'requests':
      return { title: 'Requests', view: () => <Requests /> };
    default:
      return { title: 'Home', view: () => <Home /> };
  }
}

function Page() {
  const { companyId, screen, rest } = place.value;
  const { title, view } = screenAt(screen, rest);
  const heading = useRef<HTMLHeadingElement>(null);
  const address = [companyId, screen, ...rest].join('/');
  useEffect(() => {
    document.title = `${title} · Console`;
    // Whoever cannot see the screen change hears what it is now.
    heading.current?.focus({ preventScroll: true });
  }, [address, title]);
  return (
    <>
      <a
        class="skip"
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
        {view()}
      </main>
      <Foot />
    </>
  );
}

function Header() {
  const { companyId, screen } = place.value;
  const companies = environment.value?.companies ?? [];
  const current = orders.has(screen) ? 'subscriptions' : screen;
  return (
    <header>
      <nav aria-label="Screens">
        {menu.map(([name, title]) => (
          <a key={name} href={linkTo(name === '' ? [] : [name])} aria-current={name === current ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
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

/** What the last action came to; read out where nobody sees it. */
function Foot() {
  const said = notice.value;
  return (
    <div role="status" class={said === undefined ? 'foot empty' : said.ok ? 'foot good' : 'foot bad'}>
      {said && (
        <>
          <span>{said.text}</span>
          {said.details?.map(({ field, issue, description }) => (
            <div key={`${field} ${issue}`}>
              <code>{field}</code> {issue}: {description}
            </div>
          ))}
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
    const isKnown = known.companies.some(({ companyId }) => companyId === place.value.companyId);
    if (!isKnown && first !== undefined) {
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

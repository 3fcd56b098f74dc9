import type { ComponentChildren } from 'preact';
import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Environment } from '../protocol.ts';
import { changes, describe, environment, fetchJson, notice } from './api.ts';
import { Foot, Help, Menu, Top } from './frame.tsx';
import { listenToKeys } from './keyboard.ts';
import { t } from './language.ts';
import { Failure } from './loading.tsx';
import { linkTo, route } from './route.ts';
import { readLanguage, speak } from './language-choice.ts';
import { Clock } from './screens/clock.tsx';
import { Credit } from './screens/credit.tsx';
import { Credits } from './screens/credits.tsx';
import { Dispute } from './screens/dispute.tsx';
import { Disputes } from './screens/disputes.tsx';
import { Deliveries, Delivery } from './screens/deliveries.tsx';
import { Companies, Home } from './screens/home.tsx';
import { Ledger } from './screens/ledger.tsx';
import { New } from './screens/new.tsx';
import { PayIn, Payout } from './screens/order.tsx';
import { Orders } from './screens/orders.tsx';
import { Phone } from './screens/phone.tsx';
import { Requests } from './screens/requests.tsx';
import { Search } from './screens/search.tsx';
import { ScheduledPayment } from './screens/scheduled-payment.tsx';
import { Subscription } from './screens/subscription.tsx';
import { Webhooks } from './screens/webhooks.tsx';

type Screen = {
  readonly title: string;
  readonly view: () => ComponentChildren;
  /** Parent screens, for the breadcrumbs. */
  readonly above?: readonly (readonly [title: string, parts: readonly string[]])[];
  /** The screen of one record of the list. */
  readonly record?: readonly [title: string, view: (id: string) => ComponentChildren];
};

function screensNow(): ReadonlyMap<string, Screen> {
  const { menu, titles } = t();
  const list = (kind: string, title: string, ...record: NonNullable<Screen['record']>): readonly [string, Screen] => [
    kind,
    { title, view: () => <Orders kind={kind} />, record },
  ];
  return new Map([
    list('pay-ins', titles.payIns, titles.payIn, (id) => <PayIn key={id} id={id} />),
    list('payouts', titles.payouts, titles.payout, (id) => <Payout key={id} id={id} />),
    list('subscriptions', titles.subscriptions, titles.subscription, (id) => <Subscription key={id} id={id} />),
    [
      'credits',
      { title: menu.credits, view: () => <Credits />, record: [titles.credit, (id) => <Credit key={id} id={id} />] },
    ],
    [
      'disputes',
      {
        title: menu.disputes,
        view: () => <Disputes />,
        record: [titles.dispute, (id) => <Dispute key={id} id={id} />],
      },
    ],
    [
      'deliveries',
      {
        title: menu.deliveries,
        view: () => <Deliveries />,
        record: [titles.delivery, (id) => <Delivery key={id} id={id} />],
      },
    ],
    ['new', { title: titles.new, view: () => <New />, above: [[titles.subscriptions, ['subscriptions']]] }],
    ['search', { title: titles.search, view: () => <Search /> }],
    ['phone', { title: menu.phone, view: () => <Phone /> }],
    ['webhooks', { title: menu.webhooks, view: () => <Webhooks key={route.value.companyId} /> }],
    ['ledger', { title: menu.ledger, view: () => <Ledger /> }],
    ['clock', { title: menu.clock, view: () => <Clock /> }],
    ['requests', { title: menu.requests, view: () => <Requests /> }],
  ]);
}

/** The screen at an address. */
function screenAt(screen: string, [id, below, paymentId]: readonly string[]): Screen {
  const { menu, titles } = t();
  if (screen === 'subscriptions' && id !== undefined && below === 'payments' && paymentId !== undefined)
    return {
      title: titles.scheduledPayment,
      view: () => <ScheduledPayment key={paymentId} id={id} paymentId={paymentId} />,
      above: [
        [titles.subscriptions, ['subscriptions']],
        [`${titles.subscription} ${id.slice(0, 8)}`, ['subscriptions', id]],
      ],
    };
  const found = screensNow().get(screen) ?? { title: menu.home, view: () => <Home /> };
  const { title, record } = found;
  if (id === undefined || record === undefined) return found;
  return { title: record[0], view: () => record[1](id), above: [[title, [screen]]] };
}

function Page() {
  const { companyId, screen, rest } = route.value;
  const { title, view, above } = screenAt(screen, rest);
  const companies = environment.value?.companies ?? [];
  const isKnown = companies.length === 0 || companies.some((company) => company.companyId === companyId);
  const heading = useRef<HTMLHeadingElement>(null);
  const address = [companyId, screen, ...rest].join('/');
  useEffect(() => {
    document.title = `${title} · ${t().frame.console}`;
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
        {t().frame.toContent}
      </a>
      <Top />
      <div class="shell">
        <Menu />
        <main id="main">
          {above && (
            <nav class="crumbs" aria-label={t().frame.above}>
              {above.map(([name, parts]) => (
                <a key={name} href={linkTo(parts)}>
                  {name}
                </a>
              ))}
            </nav>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {isKnown ? view() : <UnknownCompany />}
        </main>
      </div>
      <Foot />
      <Help />
    </>
  );
}

/** Shows an error for an unknown company: another company in its place would be mistaken for the one in the address. */
function UnknownCompany() {
  return (
    <>
      <Failure>{t().frame.unknownCompany(route.value.companyId)}</Failure>
      <Companies />
    </>
  );
}

async function begin(): Promise<void> {
  speak(readLanguage());
  try {
    const known = await fetchJson<Environment>('environment');
    environment.value = known;
    const [first] = known.companies;
    if (route.value.companyId === '' && first !== undefined) {
      location.replace(`#/${first.companyId}`);
      await new Promise((moved) => {
        addEventListener('hashchange', moved, { once: true });
      });
    }
    if (first === undefined) notice.value = { ok: false, text: t().frame.noCompany };
  } catch (error) {
    notice.value = describe(error);
  }
  changes.value += 1;
  listenToKeys();
  render(<Page />, document.body);
}

void begin();

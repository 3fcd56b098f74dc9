import { useState } from 'preact/hooks';
import type { ResponseBody } from '#console/protocol.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { readCaused } from '../caused.ts';
import { nextDueDate } from '../due.ts';
import { showDate, showDecimal } from '../format.ts';
import { language, t } from '../language.ts';
import { Load } from '../loading.tsx';
import { linkTo } from '../route.ts';
import { nextCharge, settleNext } from '../settle.ts';
import type { Step } from '../timeline.ts';
import { mergeSteps, paymentSteps, subscriptionSteps } from '../timeline.ts';
import { Curl, Nothing, Section, Status } from './basics.tsx';
import { DateInput } from './inputs.tsx';
import { toneOf } from '../tone.ts';
import { ActButton, Press, TimelineList } from './record.tsx';
import { Table } from './table.tsx';

type Subscription = ResponseBody<'getSubscription'>;
type Payment = ResponseBody<'getScheduledPayment'>;
type ChargesProps = { of: readonly Payment[]; subscription: Subscription; now: Instant };

/** Shows the charges of a subscription: the next charge, a calendar and a table. */
export function Charges({ of, subscription, now }: ChargesProps) {
  const { id, status } = subscription;
  const { subscription: labels, columns } = t();
  const newest = of.toSorted((a, b) => (a.dueDate < b.dueDate ? 1 : -1));
  return (
    <Section title={labels.scheduledPayments} class="panel">
      {status === 'ACCEPTED' && <Schedule subscription={subscription} payments={of} now={now} />}
      {of.length > 0 && <Calendar of={newest} subscriptionId={id} />}
      {of.length > 0 && (
        <Table
          name={labels.scheduledPayments}
          columns={[
            ...([columns.due, columns.status, [columns.amount, 'number']] as const),
            ...([columns.purpose, columns.error, ''] as const),
          ]}
          rows={newest.map((payment) => ({
            key: payment.id,
            cells: [
              showDate(payment.dueDate),
              <Status of={payment.status} />,
              showDecimal(payment.amount.value),
              payment.purpose,
              payment.errorCode,
              <a href={linkTo(['subscriptions', id, 'payments', payment.id])}>{labels.open}</a>,
            ],
          }))}
        />
      )}
      {of.length === 0 && <Nothing>{status === 'ACCEPTED' ? labels.noCharge : labels.notAccepted}</Nothing>}
    </Section>
  );
}

const months = [...Array(12).keys()].map((month) => String(month + 1).padStart(2, '0'));

/** Shows one row for each year, newest first, and in each month the due dates, coloured by the charge's status. */
function Calendar({ of, subscriptionId }: { of: readonly Payment[]; subscriptionId: string }) {
  const years = Map.groupBy(of, ({ dueDate }) => dueDate.slice(0, 4));
  const name = new Intl.DateTimeFormat(language.value, { month: 'short', timeZone: 'UTC' });
  return (
    <div class="calendar">
      {[...years].map(([year, payments]) => (
        <div key={year} class="year" role="group" aria-label={year}>
          <strong>{year}</strong>
          <ol>
            {months.map((month) => (
              <li key={month}>
                <span class="quiet">{name.format(Date.UTC(2000, Number(month) - 1))}</span>
                {payments
                  .filter(({ dueDate }) => dueDate.slice(5, 7) === month)
                  .map(({ id, dueDate, status }) => (
                    <a
                      key={id}
                      class={`due ${toneOf(status)}`}
                      href={linkTo(['subscriptions', subscriptionId, 'payments', id])}
                      title={status}
                      aria-label={`${showDate(dueDate)} ${status}`}
                    >
                      {dueDate.slice(8)}
                    </a>
                  ))}
              </li>
            ))}
          </ol>
        </div>
      ))}
    </div>
  );
}

/** Offers two buttons for the next charge, to settle it or only to schedule it, and a field for its due date. */
function Schedule({ subscription, payments, now }: Omit<ChargesProps, 'of'> & { payments: readonly Payment[] }) {
  const [chosen, setChosen] = useState('');
  const { subscription: labels } = t();
  const asked = nextCharge(subscription, payments, now, chosen);
  const { dueDate, amount } = asked.body;
  return (
    <>
      <div class="cure">
        <Press
          label={labels.settleNext}
          work={async () => {
            await settleNext(subscription.id);
            return true;
          }}
          done={labels.settled}
          tone="primary"
        />
        <ActButton
          label={labels.schedule(showDecimal(amount.value), showDate(dueDate))}
          asked={asked}
          done={labels.scheduled}
          then={() => {
            setChosen('');
          }}
        />
        <DateInput
          label={labels.due}
          value={chosen === '' ? nextDueDate(subscription, payments, now) : chosen}
          set={setChosen}
        />
        <a href={linkTo(['new', 'scheduled-payment', subscription.id])}>{labels.byForm}</a>
      </div>
      <Curl of={asked} />
    </>
  );
}

/** Shows the history of each charge, newest first, and of the subscription itself below. */
export function History({ subscription, payments }: { subscription: Subscription; payments: readonly Payment[] }) {
  const { subscription: labels } = t();
  const newest = payments.toSorted((a, b) => (a.dueDate < b.dueDate ? 1 : -1));
  return (
    <Section title={labels.history}>
      {newest.map((payment, at) => (
        <Group
          key={payment.id}
          title={labels.chargeDue(showDate(payment.dueDate))}
          status={payment.status}
          isFirst={at === 0}
          read={() => readCharge(payment)}
        />
      ))}
      <Group
        title={t().titles.subscription}
        status={subscription.status}
        isFirst={newest.length === 0}
        read={() => readOwn(subscription)}
      />
    </Section>
  );
}

type GroupProps = { title: string; status: string; isFirst: boolean; read: () => Promise<readonly Step[]> };

/** A part of the history. It is read only when it is opened: a whole year needs hundreds of requests. */
function Group({ title, status, isFirst, read }: GroupProps) {
  const [isOpen, setOpen] = useState(isFirst);
  return (
    <details
      class="chapter"
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => {
        setOpen(open);
      }}
    >
      <summary>
        {title} <Status of={status} />
      </summary>
      {isOpen && (
        <Load name={`history of ${title} ${status}`} read={read}>
          {(steps) => <TimelineList steps={steps} title={title} />}
        </Load>
      )}
    </details>
  );
}

async function readCharge(payment: Payment): Promise<readonly Step[]> {
  const orderIds = payment.orderId === undefined ? [] : [payment.orderId];
  const title = t().subscription.settledPayIn;
  return mergeSteps(paymentSteps(payment), await readCaused([payment.id], orderIds, () => title, payment.createdAt));
}

async function readOwn(subscription: Subscription): Promise<readonly Step[]> {
  const { id, initialCharge, createdAt, receiver } = subscription;
  const orderIds = initialCharge?.orderId === undefined ? [] : [initialCharge.orderId];
  const title = t().subscription.firstCharge;
  return mergeSteps(
    subscriptionSteps(subscription),
    await readCaused([id], orderIds, () => title, createdAt, receiver.id),
  );
}

import { useState } from 'preact/hooks';
import type { ResponseBody, Ask } from '#console/protocol.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { instantAt, isLocalDate } from '#shared/core/brasilia-time.ts';
import { ask, readEach, readPages } from '../api.ts';
import { next2059, nextJob } from '../due.ts';
import { showInstant } from '../format.ts';
import { t } from '../language.ts';
import { Load } from '../loading.tsx';
import { Curl, Id, Section } from '../parts/basics.tsx';
import { DateInput } from '../parts/inputs.tsx';
import { Table } from '../parts/table.tsx';
import { ActButton } from '../parts/record.tsx';
import { linkTo, route } from '../route.ts';

type Advanced = ResponseBody<'setClock'> & { readonly asked: string };

async function readClock() {
  const [clock, payIns, subscriptions] = await Promise.all([
    ask({ operation: 'getClock' }),
    readPages((query) => ask({ operation: 'listPayIns', query: { ...query, status: 'PENDING' } })),
    ask({ operation: 'listSubscriptions', query: { status: 'ACCEPTED', limit: '20' } }),
  ]);
  const payments = await readEach(subscriptions.data, async ({ id }) => {
    const { data } = await ask({
      operation: 'listScheduledPayments',
      params: { id },
      query: { sort: 'desc', limit: '20' },
    });
    return data;
  });
  return { clock, job: nextJob(clock.now, payIns, payments.flat()) };
}

/** Shows the company's clock. When it is advanced, the service does the work that became due until then. */
export function Clock() {
  const [advanced, setAdvanced] = useState<Advanced>();
  return (
    <Load name={`${route.value.companyId} clock`} read={readClock}>
      {({ clock, job }) => {
        const labels = t().clock;
        const advance = (label: string, body: object, tone?: 'primary') => (
          <li key={label}>
            <Advance
              label={label}
              body={body}
              tone={tone}
              then={(response) => {
                setAdvanced({ ...response, asked: label });
              }}
            />
          </li>
        );
        return (
          <>
            <p class="figure">
              <strong>{showInstant(clock.now)}</strong>{' '}
              <span class="quiet">
                {labels.inBrasilia}
                {clock.offsetSeconds > 0 && `, ${labels.ahead(clock.offsetSeconds)}`}
              </span>
            </p>
            <ul class="buttons">
              {advance(labels.hour, { advanceSeconds: 3600 })}
              {advance(labels.day, { advanceSeconds: 86_400 })}
              {advance(labels.to2059, { now: next2059(clock.now) })}
              {job && advance(labels.toNextJob, { now: job.at }, 'primary')}
              {advance(labels.runDue, { advanceSeconds: 0 })}
              <li>
                <ActButton label={labels.realTime} asked={{ operation: 'resetClock' }} />
              </li>
            </ul>
            <To now={clock.now} advance={advance} />
            <p class="quiet">
              {job === undefined ? (
                labels.nothingWaits
              ) : (
                <>
                  {labels.nextJob} <a href={linkTo(job.link)}>{labels[job.kind]}</a>, {showInstant(job.at)}
                </>
              )}
            </p>
            {advanced && <Ran {...advanced} />}
          </>
        );
      }}
    </Load>
  );
}

function Advance({
  label,
  body,
  tone,
  then,
}: {
  label: string;
  body: object;
  tone?: 'primary' | undefined;
  then: (response: ResponseBody<'setClock'>) => void;
}) {
  const asked: Ask<'setClock'> = { operation: 'setClock', body };
  return (
    <>
      <ActButton label={label} asked={asked} tone={tone} then={then} />
      <Curl of={asked} />
    </>
  );
}

/** Advances the clock to nine o'clock of a chosen day, unless that is past: the clock goes forward only. */
function To({ now, advance }: { now: Instant; advance: (label: string, body: object) => preact.JSX.Element }) {
  const [date, setDate] = useState('');
  const nine = isLocalDate(date) ? instantAt(date, '09:00') : undefined;
  return (
    <div class="cure">
      <DateInput label={t().clock.dayField} value={date} set={setDate} />
      {nine !== undefined &&
        (nine > now ? (
          <ul class="buttons">{advance(t().clock.to9, { now: nine })}</ul>
        ) : (
          <p class="quiet">{t().clock.isPast}</p>
        ))}
    </div>
  );
}

/** Shows the jobs that an advance ran, and the notifications that it caused. */
function Ran({ asked, jobsRun, remaining, jobs }: Advanced) {
  const { clock: labels, columns } = t();
  return (
    <Section title={labels.ran(asked, jobsRun, remaining)} label={labels.whatItRan}>
      {remaining > 0 && <p>{labels.goOn}</p>}
      <Table
        name={labels.jobs}
        columns={[labels.job, columns.about, labels.notifications]}
        rows={jobs.map(({ kind, resource, deliveryIds }, index) => ({
          key: index,
          cells: [
            kind,
            <>
              {resource.type} <Id of={resource.id} />
            </>,
            deliveryIds.map((id) => (
              <>
                <a href={linkTo(['deliveries', id])}>{id.slice(0, 8)}</a>{' '}
              </>
            )),
          ],
        }))}
      />
    </Section>
  );
}

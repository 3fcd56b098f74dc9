import { useState } from 'preact/hooks';
import type { ResponseBody, Ask } from '#infra/console/protocol.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { instantAt, isLocalDate } from '#shared/core/brasilia-time.ts';
import { ask, readEach, readPages } from '../api.ts';
import { next2059, nextJob } from '../due.ts';
import { showInstant } from '../format.ts';
import { Load } from '../loading.tsx';
import { Curl, DateInput, Id, Section, Table } from '../parts/basics.tsx';
import { ActButton } from '../parts/record.tsx';
import { linkTo, place } from '../place.ts';

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

/** The company's clock: advanced forward, the service does what became due until then. */
export function Clock() {
  const [advanced, setAdvanced] = useState<Advanced>();
  return (
    <Load name={`${place.value.companyId} clock`} read={readClock}>
      {({ clock, job }) => {
        const advance = (label: string, body: object) => (
          <li key={label}>
            <Advance
              label={label}
              body={body}
              then={(response) => {
                setAdvanced({ ...response, asked: label });
              }}
            />
          </li>
        );
        return (
          <>
            <p>
              <strong>{showInstant(clock.now)}</strong> in Brasilia
              {clock.offsetSeconds > 0 && `, ${String(clock.offsetSeconds)} s ahead of real time`}
            </p>
            <ul class="buttons">
              {advance('+1 hour', { advanceSeconds: 3600 })}
              {advance('+1 day', { advanceSeconds: 86_400 })}
              {advance('To 20:59', { now: next2059(clock.now) })}
              {job && advance('To the next job', { now: job.at })}
              {advance('Run what is due', { advanceSeconds: 0 })}
              <li>
                <ActButton label="Real time again" asked={{ operation: 'resetClock' }} />
              </li>
            </ul>
            <To now={clock.now} advance={advance} />
            <p class="quiet">
              {job === undefined ? (
                'No open pay-in or scheduled payment waits for a time.'
              ) : (
                <>
                  Next job: <a href={linkTo(job.link)}>{job.what}</a>, {showInstant(job.at)}
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
  then,
}: {
  label: string;
  body: object;
  then: (response: ResponseBody<'setClock'>) => void;
}) {
  const asked: Ask<'setClock'> = { operation: 'setClock', body };
  return (
    <>
      <ActButton label={label} asked={asked} done={`${label}: done.`} then={then} />
      <Curl of={asked} />
    </>
  );
}

/** To nine o'clock of a day that is chosen, unless that is past: the clock goes forward only. */
function To({ now, advance }: { now: Instant; advance: (label: string, body: object) => preact.JSX.Element }) {
  const [date, setDate] = useState('');
  const nine = isLocalDate(date) ? instantAt(date, '09:00') : undefined;
  return (
    <div class="cure">
      <DateInput label="Day" value={date} set={setDate} />
      {nine !== undefined &&
        (nine > now ? (
          <ul class="buttons">{advance('To 09:00 of that day', { now: nine })}</ul>
        ) : (
          <p class="quiet">09:00 of that day is past.</p>
        ))}
    </div>
  );
}

/** What an advance ran, and the notifications that it caused. */
function Ran({ asked, jobsRun, remaining, jobs }: Advanced) {
  return (
    <Section
      title={`${asked}: ${jobsRun} ${jobsRun === 1 ? 'job' : 'jobs'} run, ${remaining} left`}
      label="What it ran"
    >
      {remaining > 0 && <p>“Run what is due” goes on with what is left.</p>}
      <Table
        name="Jobs that it ran"
        columns={['Job', 'About', 'Notifications']}
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

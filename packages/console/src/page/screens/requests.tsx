import type { ComponentChildren } from 'preact';
import { instantFromEpochMs } from '#shared/core/brasilia-time.ts';
import type { SeenRequest, SeenRequests } from '#console/protocol.ts';
import { environment, fetchJson } from '../api.ts';
import { t } from '../language.ts';
import { Load } from '../loading.tsx';
import { Code, Command, FieldErrors, Nothing, Section } from '../parts/basics.tsx';
import { Choice, Written } from '../parts/listing.tsx';
import type { Row } from '../parts/table.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/times.tsx';
import { linkTo, route } from '../route.ts';
import { curlLine } from '../requests.ts';

/** Value of the filter in the address, the same in every language. */
const everyCompany = 'all';
const perPage = 50;

/** Shows the last 500 requests, with their errors. */
export function Requests() {
  const { companyId, query } = route.value;
  const { whose, text = '', status = '', error = '', skip = '0' } = query;
  const asked = { ...(whose !== everyCompany && { companyId }), text, status, error, skip };
  const search = new URLSearchParams(asked).toString();
  const { requests: labels, columns } = t();
  return (
    <>
      <div class="filters" role="group" aria-label={t().basics.filters}>
        <Choice label={labels.of} field="whose" from={[everyCompany]} all={labels.thisCompany} names={labels.whose} />
        <Written label={labels.path} field="text" placeholder="POST, order-payins, …" />
        <Choice label={columns.status} field="status" from={['2', '4', '5']} names={labels.statuses} />
        {error !== '' && (
          <a class="chip" href={linkTo(['requests'], { ...query, error: '' })}>
            {error} ×
          </a>
        )}
      </div>
      <Load name={`requests ${search}`} read={() => fetchJson<SeenRequests>(`requests?${search}`)}>
        {(seen, isStale) => <Listed of={seen} isStale={isStale} />}
      </Load>
    </>
  );
}

function Listed({ of: { of, requests, hasMore, errors }, isStale }: { of: SeenRequests; isStale: boolean }) {
  const { requests: labels, columns, menu, basics } = t();
  const { query } = route.value;
  const { skip = '0' } = query;
  return (
    <>
      <Errors of={errors} />
      <p class="quiet">
        {of === 'environment' ? labels.ofEnvironment : labels.ofConsole} {labels.whatIsLeftOut}
      </p>
      {requests.length > 0 && (
        <Table
          name={menu.requests}
          columns={[[columns.request, 'long'], columns.status, columns.at, ['ms', 'number'], [labels.bodies, 'long']]}
          rows={requests.map(rowOf)}
        />
      )}
      {requests.length === 0 && !isStale && <Nothing>{labels.none}</Nothing>}
      <p>
        {skip !== '0' && <a href={linkTo(['requests'], { ...query, skip: '' })}>{labels.newest}</a>}{' '}
        {hasMore && (
          <a href={linkTo(['requests'], { ...query, skip: String(Number(skip) + perPage) })}>{basics.older}</a>
        )}
      </p>
    </>
  );
}

/** Shows the number of errors by code. */
function Errors({ of }: { of: SeenRequests['errors'] }) {
  if (of.length === 0) return null;
  const { query } = route.value;
  return (
    <Section title={t().requests.errors}>
      <ul class="chips">
        {of.map(({ error, count, lastAt }) => (
          <li key={error}>
            <a
              class="chip"
              href={linkTo(['requests'], { ...query, error, skip: '' })}
              aria-current={query['error'] === error ? 'true' : undefined}
            >
              <strong>{count}</strong> {error}{' '}
              <small>
                <Time at={instantFromEpochMs(lastAt)} isReal />
              </small>
            </a>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function rowOf(seen: SeenRequest, at: number): Row {
  const { method, path, status, durationMs, requestId, error, details, body, answer } = seen;
  const { requests: labels } = t();
  const request = (
    <>
      <strong>{method}</strong> {path}
      <div class="quiet">
        <code>{requestId}</code>
      </div>
      {error !== undefined && <div class="failure">{error}</div>}
      <FieldErrors of={details} />
    </>
  );
  const bodies = (
    <>
      <Body name={labels.body} of={body} />
      <Body name={labels.answer} of={answer} />
      <details>
        <summary>curl</summary>
        <Command of={(key) => curlOfSeen(seen, key)} what="curl" />
      </details>
    </>
  );
  const response = <span class={`status ${status < 400 ? 'good' : 'bad'}`}>{status}</span>;
  const cells: readonly ComponentChildren[] = [
    ...[request, response, <Time at={instantFromEpochMs(seen.at)} isReal />, durationMs, bodies],
  ];
  return { key: requestId ?? at, cells };
}

function Body({ name, of }: { name: string; of: unknown }) {
  return of === undefined ? null : <Folded name={name} text={JSON.stringify(of, null, 2)} />;
}

function Folded({ name, text }: { name: string; text: string }) {
  return (
    <details>
      <summary>{name}</summary>
      <Code text={text} what={name} />
    </details>
  );
}

/** Returns a logged request as a curl command; the reader fills in the token and masked values. */
function curlOfSeen({ method, path, body }: SeenRequest, key: string): string {
  const url = `${environment.value?.baseUrl ?? ''}${path}`;
  return curlLine({ method, url, ...(method === 'POST' && { key }), body });
}

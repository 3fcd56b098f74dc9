import type { ComponentChildren } from 'preact';
import { instantFromEpochMs } from '#shared/core/brasilia-time.ts';
import type { SeenRequest, SeenRequests } from '#infra/console/protocol.ts';
import { environment, fetchJson } from '../api.ts';
import { showInstant } from '../format.ts';
import { Load } from '../loading.tsx';
import type { Row } from '../parts/basics.tsx';
import { FieldErrors, Table } from '../parts/basics.tsx';
import { Choice, Written } from '../parts/listing.tsx';
import { linkTo, place } from '../place.ts';

const whose: Readonly<Record<SeenRequests['of'], string>> = {
  environment: 'Requests to this environment since it started.',
  console: 'Requests of this console: it does not see those of others.',
};
const kinds = ['this company', 'every company'];
const perPage = 50;

/** The last 500 requests, with what was wrong with them. */
export function Requests() {
  const { companyId, query } = place.value;
  const { whose: company, text = '', status = '', skip = '0' } = query;
  const search = new URLSearchParams({ ...(company !== kinds[1] && { companyId }), text, status, skip }).toString();
  const isFirst = skip === '0';
  return (
    <>
      <div class="filters" role="search">
        <Choice label="Of" field="whose" from={kinds} all="" />
        <Written label="Path" field="text" placeholder="POST, order-payins, …" />
        <Choice label="Status" field="status" from={['2', '4', '5']} />
      </div>
      <Load name={`requests ${search}`} read={() => fetchJson<SeenRequests>(`requests?${search}`)}>
        {({ of, requests, hasMore }, isStale) => (
          <>
            <p class="quiet">
              {whose[of]} The last 500; what console and listeners read by themselves is left out, and what says
              something about a person is masked.
            </p>
            <Table
              name="Requests"
              columns={[['Request', 'long'], 'Status', 'At', ['ms', 'number'], 'Bodies']}
              rows={requests.map(rowOf)}
            />
            {requests.length === 0 && !isStale && <p class="quiet">None here.</p>}
            {!isFirst && <a href={linkTo(['requests'], { ...query, skip: '' })}>Newest ones</a>}{' '}
            {hasMore && (
              <a href={linkTo(['requests'], { ...query, skip: String(Number(skip) + perPage) })}>Older ones</a>
            )}
          </>
        )}
      </Load>
    </>
  );
}

function rowOf(seen: SeenRequest, at: number): Row {
  const { method, path, status, durationMs, requestId, error, details, body, answer } = seen;
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
      <Body name="body" of={body} />
      <Body name="answer" of={answer} />
      <Folded name="curl">{curlOfSeen(seen)}</Folded>
    </>
  );
  const response = <span class={`status ${status < 400 ? 'good' : 'bad'}`}>{status}</span>;
  const cells = [request, response, showInstant(instantFromEpochMs(seen.at)), durationMs, bodies];
  return { key: requestId ?? at, cells };
}

function Body({ name, of }: { name: string; of: unknown }) {
  return of === undefined ? null : <Folded name={name}>{JSON.stringify(of, null, 1)}</Folded>;
}

function Folded({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <details>
      <summary>{name}</summary>
      <pre>{children}</pre>
    </details>
  );
}

/** What is masked is for the reader to fill in, as the token. */
function curlOfSeen({ method, path, body }: SeenRequest): string {
  const url = `${environment.value?.baseUrl ?? ''}${path}`;
  const parts = [`curl -s -X ${method} '${url}'`, '-H "authorization: Bearer $TOKEN"'];
  if (method === 'POST') parts.push('-H "idempotency-key: $(uuidgen)"');
  if (body !== undefined)
    parts.push(`-H 'content-type: application/json'`, `-d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`);
  return parts.join(' \\\n  ');
}

import { instantFromEpochMs } from '#shared/core/brasilia-time.ts';
import type { SeenRequest, SeenRequests } from '#infra/console/protocol.ts';
import type { Row } from '../parts/basics.tsx';
import { Table } from '../parts/basics.tsx';
import { showInstant } from '../format.ts';
import { Load } from '../loading.tsx';
import { fetchJson } from '../api.ts';

const whose: Readonly<Record<SeenRequests['of'], string>> = {
  environment: 'All requests to this environment since it started, of every company.',
  console: 'Requests of this console: it does not see those of others.',
};

/** The last 500 requests, with what was wrong with them. */
export function Requests() {
  return (
    <Load name="requests" read={() => fetchJson<SeenRequests>('requests')}>
      {({ of, requests }) => (
        <>
          <p class="quiet">
            {whose[of]} The last 500; what the console reads by itself is left out, and what says something about a
            person is masked.
          </p>
          <Table
            name="Requests"
            columns={[['Request', 'long'], 'Status', 'At', ['ms', 'number'], 'Sent']}
            rows={requests.map(rowOf)}
          />
          {requests.length === 0 && <p class="quiet">None yet.</p>}
        </>
      )}
    </Load>
  );
}

function rowOf(
  { at, method, path, status, durationMs, requestId, error, details, body }: SeenRequest,
  place: number,
): Row {
  const request = (
    <>
      <strong>{method}</strong> {path}
      <div class="quiet">
        <code>{requestId}</code>
      </div>
      {error !== undefined && <div class="failure">{error}</div>}
      {details.map(({ field, issue, description }) => (
        <div key={`${field} ${issue}`}>
          <code>{field}</code> {issue}: {description}
        </div>
      ))}
    </>
  );
  const sent = body !== undefined && (
    <details>
      <summary>body</summary>
      <pre>{JSON.stringify(body, null, 1)}</pre>
    </details>
  );
  const response = <span class={`status ${status < 400 ? 'good' : 'bad'}`}>{status}</span>;
  return { key: requestId ?? place, cells: [request, response, showInstant(instantFromEpochMs(at)), durationMs, sent] };
}

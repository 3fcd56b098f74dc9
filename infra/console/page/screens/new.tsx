import { useState } from 'preact/hooks';
import { brasiliaDate } from '#shared/core/brasilia-time.ts';
import { ask, environment, readNow } from '../api.ts';
import { Load } from '../loading.tsx';
import { Curl, Links, TextArea } from '../parts/basics.tsx';
import { ActButton } from '../parts/record.tsx';
import { go, linkTo, place } from '../place.ts';
import type { Sample } from '../requests.ts';
import { samplesFor } from '../requests.ts';

const screens: Readonly<Record<Sample['operation'], string>> = {
  createSubscription: 'subscriptions',
  createPayIn: 'pay-ins',
  createPayout: 'payouts',
};

async function readSamples() {
  const [{ data }, now] = await Promise.all([
    ask({ operation: 'listAccounts', query: { status: 'ACTIVE', sort: 'asc', limit: '50' } }),
    readNow(),
  ]);
  // The receiver of a recurrence is a company.
  const account = data.find(({ document }) => document.type === 'CNPJ') ?? data[0];
  if (account === undefined) throw new Error('The company has no active account.');
  const known = environment.value;
  const { receiver = 'https://partner.example.com/notifications' } = known ?? {};
  return samplesFor({
    accountId: account.id,
    today: brasiliaDate(now),
    webhookUrl: receiver,
    newId: () => crypto.randomUUID(),
  });
}

/** A request to change and to send: what comes out of it opens. */
export function New() {
  const kind = place.value.rest[0] ?? 'journey-3';
  return (
    <Load name={`${place.value.companyId} samples`} read={readSamples}>
      {(known) => {
        const sample = Object.entries(known).find(([name]) => name === kind)?.[1] ?? known['journey-3'];
        return (
          <>
            <Links
              label="Samples"
              class="tabs"
              current={kind}
              of={Object.entries(known).map(([name, { name: title }]) => [name, title, ['new', name]])}
            />
            <Composer key={kind} sample={sample} />
          </>
        );
      }}
    </Load>
  );
}

function Composer({ sample: { operation, body } }: { sample: Sample }) {
  const [text, setText] = useState(() => JSON.stringify(body, null, 2));
  const read = readJson(text);
  return (
    <section aria-label="Request">
      <TextArea label="Body of the request" rows={22} value={text} set={setText} />
      {read === undefined ? (
        <p class="failure">This is not JSON yet.</p>
      ) : (
        <>
          <ActButton
            label="Send"
            asked={{ operation, body: read.body }}
            done="Created."
            then={({ id }) => {
              go(linkTo([screens[operation], id]));
            }}
          />
          <Curl of={{ operation, body: read.body }} />
        </>
      )}
    </section>
  );
}

function readJson(text: string): { readonly body: unknown } | undefined {
  try {
    return { body: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

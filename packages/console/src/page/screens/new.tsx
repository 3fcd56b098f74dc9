import { useState } from 'preact/hooks';
import type { FormField, Forms, ResponseBody } from '#console/protocol.ts';
import { brasiliaDate } from '#shared/core/brasilia-time.ts';
import type { Detail } from '../api.ts';
import { ask, environment, fetchJson, readNow, readPages } from '../api.ts';
import { nextDueDate } from '../due.ts';
import { t } from '../language.ts';
import { Failure, Load } from '../loading.tsx';
import { Code, Command, FieldErrors, Links, Nothing } from '../parts/basics.tsx';
import type { Body, Choices } from '../parts/form.tsx';
import { FormFields } from '../parts/form.tsx';
import { Press } from '../parts/record.tsx';
import { go, linkTo, route } from '../route.ts';
import { curlOf } from '../requests.ts';
import type { Sample } from '../samples.ts';
import { samplesFor } from '../samples.ts';

const screens: Readonly<Record<Exclude<keyof Forms, 'createScheduledPayment'>, string>> = {
  createSubscription: 'subscriptions',
  createPayIn: 'pay-ins',
  createPayout: 'payouts',
  receiveCredit: 'credits',
};

/** The forms do not change while the page is open. */
let forms: Promise<Forms> | undefined;
function readForms(): Promise<Forms> {
  forms ??= fetchJson<Forms>('forms').catch((error: unknown) => {
    forms = undefined;
    throw error;
  });
  return forms;
}

async function readSamples() {
  const [{ data }, now, known] = await Promise.all([
    ask({ operation: 'listAccounts', query: { status: 'ACTIVE', sort: 'asc', limit: '50' } }),
    readNow(),
    readForms(),
  ]);
  // Prefers an account of a company (CNPJ), because the receiver of a recurrence is a company.
  const account = data.find(({ document }) => document.type === 'CNPJ') ?? data[0];
  if (account === undefined) throw new Error(t().ledger.noAccount);
  const { receiver = 'https://partner.example.com/notifications' } = environment.value ?? {};
  const samples = samplesFor({
    accountId: account.id,
    today: brasiliaDate(now),
    webhookUrl: receiver,
    newId: () => crypto.randomUUID(),
  });
  const accountId = data.map(({ id, fullName }) => [id, `${fullName} (${id.slice(0, 8)})`] as const);
  return { samples, forms: known, choices: { accountId } };
}

/** Shows a form for each order that can be created, filled with a sample that the service accepts. */
export function New() {
  const { samples: labels } = t();
  const [kind = 'journey-3', subscriptionId] = route.value.rest;
  return (
    <>
      <Links
        label={t().forms.kinds}
        class="tabs"
        current={kind}
        of={[
          ['journey-3', labels.journey3, ['new', 'journey-3']],
          ['journey-2', labels.journey2, ['new', 'journey-2']],
          ['pay-in', labels.payIn, ['new', 'pay-in']],
          ['payout-pix', labels.payoutPix, ['new', 'payout-pix']],
          ['payout-ted', labels.payoutTed, ['new', 'payout-ted']],
          ['scheduled-payment', labels.scheduledPayment, ['new', 'scheduled-payment']],
          ['credit', labels.credit, ['new', 'credit']],
        ]}
      />
      {kind === 'scheduled-payment' ? <NewPayment id={subscriptionId} /> : <NewOrder kind={kind} />}
    </>
  );
}

function NewOrder({ kind }: { kind: string }) {
  return (
    <Load name={`${route.value.companyId} samples`} read={readSamples}>
      {({ samples, forms: known, choices }) => {
        const sample = Object.entries(samples).find(([name]) => name === kind)?.[1] ?? samples['journey-3'];
        return <Composer key={kind} sample={sample} fields={known[sample.operation]} choices={choices} />;
      }}
    </Load>
  );
}

type Recurrence = ResponseBody<'listSubscriptions'>['data'][number];

/** Shows the form of a subscription's next charge, or first the list to choose the subscription from. */
function NewPayment({ id }: { id: string | undefined }) {
  if (id !== undefined) return <NextPayment key={id} id={id} />;
  const read = () => ask({ operation: 'listSubscriptions', query: { status: 'ACCEPTED', limit: '50' } });
  return (
    <Load name={`${route.value.companyId} accepted`} read={read}>
      {({ data }) =>
        data.length === 0 ? (
          <Nothing>{t().forms.noneAccepted}</Nothing>
        ) : (
          <>
            <h2>{t().forms.whichSubscription}</h2>
            <ul class="plain">
              {data.map((subscription: Recurrence) => (
                <li key={subscription.id}>
                  <a href={linkTo(['new', 'scheduled-payment', subscription.id])}>{subscription.externalId}</a>{' '}
                  <code>{subscription.id}</code>
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Load>
  );
}

async function readNext(id: string) {
  const [subscription, payments, now, known] = await Promise.all([
    ask({ operation: 'getSubscription', params: { id } }),
    readPages((query) => ask({ operation: 'listScheduledPayments', params: { id }, query })),
    readNow(),
    readForms(),
  ]);
  const dueDate = nextDueDate(subscription, payments, now);
  const amount = subscription.fixedAmount ?? { currency: 'BRL', value: '49.90' };
  const externalId = `${id.slice(0, 8)}-${dueDate}-${String(payments.length + 1)}`;
  return { body: { externalId, dueDate, amount }, fields: known.createScheduledPayment };
}

function NextPayment({ id }: { id: string }) {
  return (
    <Load name={`next of ${id}`} read={() => readNext(id)}>
      {({ body, fields }) => (
        <Composer sample={{ operation: 'createScheduledPayment', body }} params={{ id }} fields={fields} choices={{}} />
      )}
    </Load>
  );
}

type Composing = {
  sample: Sample;
  params?: Readonly<Record<string, string>>;
  fields: readonly FormField[];
  choices: Choices;
};

/** Shows a form and, beside it, the request as JSON and curl. Errors stand at their fields. */
function Composer({ sample: { operation, body: first }, params, fields, choices }: Composing) {
  const [body, setBody] = useState<Body>(first);
  const [fieldErrors, setFieldErrors] = useState<readonly Detail[]>([]);
  const labels = t().forms;
  const asked = { operation, body, ...(params && { params }) };
  const known = environment.value;
  const paths = new Set(pathsOf(fields));
  const elsewhere = fieldErrors.filter(({ field }) => !paths.has(field));
  return (
    <section class="composer" aria-label={labels.request}>
      <div class="form panel">
        {elsewhere.length > 0 && (
          <Failure>
            <FieldErrors of={elsewhere} />
          </Failure>
        )}
        <FormFields fields={fields} value={body} set={setBody} details={fieldErrors} choices={choices} />
        <div class="send">
          <Press
            label={labels.send}
            work={() => ask(asked)}
            done={labels.created}
            tone="primary"
            then={({ id }) => {
              go(linkOf(operation, id, params?.['id']));
            }}
            refused={({ details = [] }) => {
              setFieldErrors(details);
              const [at] = details;
              if (at !== undefined) document.getElementById(`field-${at.field}`)?.focus();
            }}
          />
        </div>
      </div>
      <section class="beside" aria-label={labels.whatItSends}>
        <h2>{labels.asJson}</h2>
        <Code text={JSON.stringify(body, null, 2)} what={labels.asJson} />
        <h2>{labels.asCurl}</h2>
        {known && <Command of={(key) => curlOf(known, asked, key)} what={labels.asCurl} />}
      </section>
    </section>
  );
}

/**
 * Returns the address of what a form created. At a connected bank money may come before its credit: until that is
 * booked it has only an end-to-end id, by which the search finds it.
 */
function linkOf(operation: keyof Forms, id: string, subscriptionId = ''): string {
  if (operation === 'createScheduledPayment') return linkTo(['subscriptions', subscriptionId, 'payments', id]);
  if (operation === 'receiveCredit' && id.startsWith('E')) return linkTo(['search'], { text: id });
  return linkTo([screens[operation], id]);
}

/** Returns the paths of all fields, in the form of the service's field errors. */
function pathsOf(fields: readonly FormField[], path = ''): readonly string[] {
  return fields.flatMap((field) => [`${path}${field.name}`, ...pathsOf(field.fields, `${path}${field.name}.`)]);
}

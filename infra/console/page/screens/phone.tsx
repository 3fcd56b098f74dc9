import { useState } from 'preact/hooks';
import type { Answered } from '#infra/console/operations.ts';
import { ActButton } from '../parts/actions.tsx';
import { Facts, Status } from '../parts/basics.tsx';
import { showAmount, showDate, showDecimal } from '../format.ts';
import { Show, useLoaded } from '../loading.tsx';
import { movesOf } from '../moves.ts';
import type { PayerCode } from '../payer-code.ts';
import { readPayerCode } from '../payer-code.ts';
import { go, linkTo, place } from '../place.ts';
import { ask } from '../asking.ts';

type Charge = Answered<'getPayIn'>;
type Recurrence = Answered<'listSubscriptions'>['data'][number];
type Known = { readonly charge?: Charge; readonly recurrence?: Recurrence };

/** What the payer's bank would read at the addresses in the code: the company's own charges and recurrences. */
async function findByCode(code: string): Promise<Known> {
  const query = { limit: '100' };
  const [subscriptions, payIns] = await Promise.all([
    ask({ operation: 'listSubscriptions', query }),
    ask({ operation: 'listPayIns', query }),
  ]);
  const recurrence = subscriptions.data.find(({ qrcodeDetail }) => qrcodeDetail.qrcodeData === code);
  const id = recurrence?.initialCharge?.orderId ?? payIns.data.find(({ qrcodeData }) => qrcodeData === code)?.id;
  const charge = id === undefined ? undefined : await ask({ operation: 'getPayIn', params: { id } });
  return { ...(recurrence && { recurrence }), ...(charge && { charge }) };
}

/** What a payer sees who pastes a BR Code into the app of a bank, and what the payer may do there. */
export function Phone() {
  const code = (place.value.query['code'] ?? '').trim();
  return (
    <div class="phone">
      <Paste key={code} code={code} />
      {code === '' ? <OpenCodes /> : <Reading code={code} read={readPayerCode(code)} />}
    </div>
  );
}

function Paste({ code }: { code: string }) {
  const [text, setText] = useState(code);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        go(linkTo(['phone'], { code: text.trim() }));
      }}
    >
      <label>
        BR Code (“PIX copia e cola”)
        <textarea
          rows={5}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
          }}
        />
      </label>
      <button type="submit">Read</button>
    </form>
  );
}

/** Codes that nobody has paid or authorized yet, to take one. */
function OpenCodes() {
  const loaded = useLoaded(`${place.value.companyId} codes`, async () => {
    const [subscriptions, payIns] = await Promise.all([
      ask({ operation: 'listSubscriptions', query: { status: 'PENDING_AUTHORIZATION', limit: '10' } }),
      ask({ operation: 'listPayIns', query: { status: 'PENDING', limit: '10' } }),
    ]);
    return [
      ...subscriptions.data.map((one) => ({ of: one, code: one.qrcodeDetail.qrcodeData, what: 'Subscription' })),
      ...payIns.data.map((one) => ({ of: one, code: one.qrcodeData, what: 'Pay-in' })),
    ];
  });
  return (
    <Show of={loaded}>
      {(codes) => (
        <section aria-label="Codes">
          <h2>Or take one that is open</h2>
          {codes.length === 0 && <p class="quiet">None is open. Create one under “New…”.</p>}
          <ul class="plain">
            {codes.map(({ of: { id, description, externalId }, code, what }) => (
              <li key={id}>
                <a href={linkTo(['phone'], { code })}>
                  {what}: {description ?? externalId}
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Show>
  );
}

function Reading({ code, read }: { code: string; read: PayerCode }) {
  const loaded = useLoaded(`code ${code}`, () => findByCode(code));
  if (read.kind === 'INVALID')
    return (
      <p class="failure" role="alert">
        This code cannot be paid. {read.reason}
      </p>
    );
  return (
    <>
      <CodeFacts read={read} />
      <Show of={loaded}>{(known) => <Payer known={known} />}</Show>
    </>
  );
}

const kinds = {
  STATIC: 'static: key and amount are in the code',
  DYNAMIC: 'dynamic: the charge is at its address',
  RECURRENCE_ONLY: 'only a recurrence: nothing to pay now',
} as const;

function CodeFacts({ read }: { read: Exclude<PayerCode, { kind: 'INVALID' }> }) {
  return (
    <section aria-label="What the code says">
      <h2>What the code says</h2>
      <Facts
        of={[
          ['Kind', kinds[read.kind]],
          ['Payee', read.payee],
          ['City', read.city],
          ['Amount', read.amount === undefined ? undefined : showAmount(read.amount)],
          ['Key', read.pixKey],
          ['Transaction', read.txid],
          ['Text', read.info],
          ['Charge', read.url && <code>{read.url}</code>],
          ['Recurrence', read.recurrenceUrl && <code>{read.recurrenceUrl}</code>],
        ]}
      />
    </section>
  );
}

function Payer({ known: { charge, recurrence } }: { known: Known }) {
  if (charge === undefined && recurrence === undefined)
    return (
      <p class="quiet">This code is not one of the last hundred of this company: only its text can be read here.</p>
    );
  return (
    <section aria-label="What the payer may do">
      <h2>What the payer may do</h2>
      {charge && (
        <>
          <p>
            Pay <strong>{showDecimal(charge.amount.value)}</strong>: {charge.description}{' '}
            <a href={linkTo(['pay-ins', charge.id])}>
              <Status of={charge.status} />
            </a>
          </p>
          <Steps moves={movesOf('PAY_IN', charge.status, charge.id)} labels={{ PAID: 'Pay' }} />
        </>
      )}
      {recurrence && (
        <>
          <p>
            Authorize charges {recurrence.frequencyType} from {showDate(recurrence.startDate)}
            {recurrence.fixedAmount && ` of ${showDecimal(recurrence.fixedAmount.value)}`} to{' '}
            {recurrence.receiver.fullName}{' '}
            <a href={linkTo(['subscriptions', recurrence.id])}>
              <Status of={recurrence.status} />
            </a>
          </p>
          <Steps
            moves={movesOf('SUBSCRIPTION', recurrence.status, recurrence.id)}
            labels={{ ACCEPTED: 'Authorize', REJECTED: 'Refuse' }}
          />
        </>
      )}
    </section>
  );
}

/** Of the moves that are allowed those that a payer makes. */
function Steps({ moves, labels }: { moves: ReturnType<typeof movesOf>; labels: Readonly<Record<string, string>> }) {
  return (
    <p class="buttons">
      {moves.map(({ trigger, asked }) => {
        const label = labels[trigger];
        return label === undefined ? null : <ActButton key={trigger} label={label} asked={asked} trigger={trigger} />;
      })}
    </p>
  );
}

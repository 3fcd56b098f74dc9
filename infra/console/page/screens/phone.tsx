import { useState } from 'preact/hooks';
import type { ResponseBody } from '#infra/console/protocol.ts';
import type { BrCodeFault } from '#shared/core/br-code/parse.ts';
import { parseBrCode } from '#shared/core/br-code/parse.ts';
import { decodeObjects } from '#shared/core/br-code/tlv.ts';
import type { Centavos } from '#shared/core/money.ts';
import { ask } from '../api.ts';
import { showAmount, showDate, showDecimal } from '../format.ts';
import { Failure, Load } from '../loading.tsx';
import { Facts, Section, Status, TextArea } from '../parts/basics.tsx';
import { ActButton } from '../parts/record.tsx';
import { go, linkTo, place } from '../place.ts';
import { transitionsOf } from '../requests.ts';

/** What the app of a payer's bank shows of a BR Code before it asks a bank. */
type PayerCode =
  | { readonly kind: 'INVALID'; readonly reason: string }
  | {
      readonly kind: 'STATIC' | 'DYNAMIC' | 'RECURRENCE_ONLY';
      readonly payee: string;
      readonly city: string;
      readonly amount?: Centavos;
      readonly pixKey?: string;
      readonly txid?: string;
      readonly info?: string;
      /** Where the charge is described. */
      readonly url?: string;
      readonly recurrenceUrl?: string;
    };

const faults: Readonly<Record<BrCodeFault, string>> = {
  TOO_LONG: 'It has more than 512 characters.',
  NOT_ASCII: 'It has characters outside printable ASCII.',
  NOT_A_BR_CODE: 'It does not begin with 000201 and end with a check value: this is no BR Code.',
  WRONG_CRC: 'Its check value is wrong: a character was changed or lost.',
  BROKEN_TLV: 'Its objects do not add up: a length is wrong.',
  DUPLICATE_OBJECT: 'It has an object twice.',
  MISSING_OBJECT: 'It lacks an object that every BR Code has.',
  NOT_BRAZILIAN: 'Its currency or country is not that of Brazil.',
  NOT_PIX: 'It is of another arrangement than PIX.',
  AMBIGUOUS: 'It says twice whom to pay.',
  BAD_URL: 'The address in it is none.',
  BAD_AMOUNT: 'The amount in it is none.',
};

/** Reads a code by the service's own codec. */
function readPayerCode(text: string): PayerCode {
  const read = parseBrCode(text);
  if (read.kind === 'INVALID') return { kind: 'INVALID', reason: faults[read.reason] };
  const objects = decodeObjects(text.trim());
  const object = (id: string): string => (typeof objects === 'string' ? '' : (objects.get(id) ?? ''));
  return { ...read, payee: object('59'), city: object('60') };
}

type Charge = ResponseBody<'getPayIn'>;
type Recurrence = ResponseBody<'listSubscriptions'>['data'][number];
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
      <TextArea label="BR Code (“PIX copia e cola”)" rows={5} value={text} set={setText} />
      <button type="submit">Read</button>
    </form>
  );
}

async function readOpenCodes() {
  const [subscriptions, payIns] = await Promise.all([
    ask({ operation: 'listSubscriptions', query: { status: 'PENDING_AUTHORIZATION', limit: '10' } }),
    ask({ operation: 'listPayIns', query: { status: 'PENDING', limit: '10' } }),
  ]);
  return [
    ...subscriptions.data.map((one) => ({ of: one, code: one.qrcodeDetail.qrcodeData, what: 'Subscription' })),
    ...payIns.data.map((one) => ({ of: one, code: one.qrcodeData, what: 'Pay-in' })),
  ];
}

/** Codes without a payment or an authorization. */
function OpenCodes() {
  return (
    <Load name={`${place.value.companyId} codes`} read={readOpenCodes}>
      {(codes) => (
        <Section title="Or take one that is open" label="Codes">
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
        </Section>
      )}
    </Load>
  );
}

function Reading({ code, read }: { code: string; read: PayerCode }) {
  if (read.kind === 'INVALID') return <Failure>This code cannot be paid. {read.reason}</Failure>;
  return (
    <>
      <CodeFacts read={read} />
      <Load name={`code ${code}`} read={() => findByCode(code)}>
        {(known) => <Payer known={known} />}
      </Load>
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
    <Section title="What the code says">
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
    </Section>
  );
}

function Payer({ known: { charge, recurrence } }: { known: Known }) {
  if (charge === undefined && recurrence === undefined)
    return (
      <p class="quiet">This code is not one of the last hundred of this company: only its text can be read here.</p>
    );
  return (
    <Section title="What the payer may do">
      {charge && (
        <>
          <p>
            Pay <strong>{showDecimal(charge.amount.value)}</strong>: {charge.description}{' '}
            <a href={linkTo(['pay-ins', charge.id])}>
              <Status of={charge.status} />
            </a>
          </p>
          <Steps transitions={transitionsOf('PAY_IN', charge.status, charge.id)} labels={{ PAID: 'Pay' }} />
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
            transitions={transitionsOf('SUBSCRIPTION', recurrence.status, recurrence.id)}
            labels={{ ACCEPTED: 'Authorize', REJECTED: 'Refuse' }}
          />
        </>
      )}
    </Section>
  );
}

/** Of the transitions that are allowed those that a payer makes. */
function Steps({
  transitions,
  labels,
}: {
  transitions: ReturnType<typeof transitionsOf>;
  labels: Readonly<Record<string, string>>;
}) {
  return (
    <p class="buttons">
      {transitions.map(({ trigger, asked }) => {
        const label = labels[trigger];
        return label === undefined ? null : <ActButton key={trigger} label={label} asked={asked} trigger={trigger} />;
      })}
    </p>
  );
}

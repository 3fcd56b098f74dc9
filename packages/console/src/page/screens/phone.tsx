import { useState } from 'preact/hooks';
import type { ResponseBody } from '#console/protocol.ts';
import type { BrCodeError } from '#shared/core/br-code/parse.ts';
import { parseBrCode } from '#shared/core/br-code/parse.ts';
import { decodeObjects } from '#shared/core/br-code/tlv.ts';
import type { Centavos } from '#shared/core/money.ts';
import { ask } from '../api.ts';
import { showAmount, showDate, showDecimal } from '../format.ts';
import { t } from '../language.ts';
import { Failure, Load } from '../loading.tsx';
import { Facts, Nothing, Section, Status } from '../parts/basics.tsx';
import { TextArea } from '../parts/inputs.tsx';
import { ActButton } from '../parts/record.tsx';
import { go, linkTo, route } from '../route.ts';
import { transitionsOf } from '../requests.ts';

/** Content of a BR Code that the app of a payer's bank can show before it calls the payee's bank. */
type PayerCode =
  | { readonly kind: 'INVALID'; readonly reason: BrCodeError }
  | {
      readonly kind: 'STATIC' | 'DYNAMIC' | 'RECURRENCE_ONLY';
      readonly payee: string;
      readonly city: string;
      readonly amount?: Centavos;
      readonly pixKey?: string;
      readonly txid?: string;
      readonly info?: string;
      /** Address of the charge at the payee's bank. */
      readonly url?: string;
      readonly recurrenceUrl?: string;
    };

/** Reads a BR Code with the parser of the service. */
function readPayerCode(text: string): PayerCode {
  const read = parseBrCode(text);
  if (read.kind === 'INVALID') return read;
  const objects = decodeObjects(text.trim());
  const object = (id: string): string => (typeof objects === 'string' ? '' : (objects.get(id) ?? ''));
  return { ...read, payee: object('59'), city: object('60') };
}

type Charge = ResponseBody<'getPayIn'>;
type Recurrence = ResponseBody<'getSubscription'>;
type Known = { readonly charge?: Charge; readonly recurrence?: Recurrence };

/** Finds the company's charge and recurrence that the payer's bank would read at the addresses in the code. */
async function findByCode(code: string): Promise<Known> {
  const query = { limit: '100' };
  const [subscriptions, payIns] = await Promise.all([
    ask({ operation: 'listSubscriptions', query }),
    ask({ operation: 'listPayIns', query }),
  ]);
  const listed = subscriptions.data.find(({ qrcodeDetail }) => qrcodeDetail.qrcodeData === code);
  // The list has no images of the codes.
  const recurrence = listed && (await ask({ operation: 'getSubscription', params: { id: listed.id } }));
  const id = recurrence?.initialCharge?.orderId ?? payIns.data.find(({ qrcodeData }) => qrcodeData === code)?.id;
  const charge = id === undefined ? undefined : await ask({ operation: 'getPayIn', params: { id } });
  return { ...(recurrence && { recurrence }), ...(charge && { charge }) };
}

/** Shows a BR Code as the app of the payer's bank does, with the actions of the payer. */
export function Phone() {
  const code = (route.value.query['code'] ?? '').trim();
  const read = code === '' ? undefined : readPayerCode(code);
  return (
    <div class="phones">
      <div class="phone" role="group" aria-label={t().phone.ofPayer}>
        <div class="display">
          <p class="bank">{t().phone.bank}</p>
          {read === undefined && <Nothing>{t().phone.empty}</Nothing>}
          {read?.kind === 'INVALID' && (
            <Failure>
              {t().phone.cannotBePaid} {t().brCodeErrors[read.reason]}
            </Failure>
          )}
          {read !== undefined && read.kind !== 'INVALID' && <Payer key={code} code={code} read={read} />}
        </div>
      </div>
      <div class="besidePhone">
        <Paste key={code} code={code} />
        {read !== undefined && read.kind !== 'INVALID' && <CodeFacts read={read} />}
        <OpenCodes />
      </div>
    </div>
  );
}

function Paste({ code }: { code: string }) {
  const [text, setText] = useState(code);
  return (
    <form
      class="panel"
      onSubmit={(event) => {
        event.preventDefault();
        go(linkTo(['phone'], { code: text.trim() }));
      }}
    >
      <TextArea label={t().phone.brCode} rows={4} value={text} set={setText} />
      <button type="submit" class={code === '' ? 'primary' : 'plain'}>
        {t().phone.read}
      </button>
    </form>
  );
}

async function readOpenCodes() {
  const [subscriptions, payIns] = await Promise.all([
    ask({ operation: 'listSubscriptions', query: { status: 'PENDING_AUTHORIZATION', limit: '10' } }),
    ask({ operation: 'listPayIns', query: { status: 'PENDING', limit: '10' } }),
  ]);
  return [
    ...subscriptions.data.map((of) => ({ of, code: of.qrcodeDetail.qrcodeData, what: 'subscription' as const })),
    ...payIns.data.map((of) => ({ of, code: of.qrcodeData, what: 'payIn' as const })),
  ].filter(({ code }) => code !== '');
}

/** Lists the codes that wait for a payment or an authorization. */
function OpenCodes() {
  const { phone, titles } = t();
  return (
    <Load name={`${route.value.companyId} codes`} read={readOpenCodes}>
      {(codes) => (
        <Section title={phone.openOnes} label={phone.codes} class="panel">
          {codes.length === 0 && <Nothing>{phone.noneOpen}</Nothing>}
          <ul class="plain">
            {codes.map(({ of: { id, description, externalId }, code, what }) => (
              <li key={id}>
                <a href={linkTo(['phone'], { code })}>
                  {titles[what]}: {description ?? externalId}
                </a>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </Load>
  );
}

type Valid = Exclude<PayerCode, { kind: 'INVALID' }>;

function CodeFacts({ read }: { read: Valid }) {
  const { phone, columns } = t();
  const kinds = { STATIC: phone.isStatic, DYNAMIC: phone.isDynamic, RECURRENCE_ONLY: phone.isRecurrence } as const;
  return (
    <Section title={phone.codeSays} class="panel">
      <Facts
        of={[
          [phone.kind, kinds[read.kind]],
          [phone.payee, read.payee],
          [phone.city, read.city],
          [columns.amount, read.amount === undefined ? undefined : showAmount(read.amount)],
          [phone.key, read.pixKey],
          [phone.transaction, read.txid],
          [phone.text, read.info],
          [phone.charge, read.url && <code>{read.url}</code>],
          [phone.recurrence, read.recurrenceUrl && <code>{read.recurrenceUrl}</code>],
        ]}
      />
    </Section>
  );
}

/** The app after it has read a code. */
function Payer({ code, read }: { code: string; read: Valid }) {
  const { phone } = t();
  return (
    <Load name={`code ${code}`} read={() => findByCode(code)}>
      {({ charge, recurrence }) => {
        const image = charge?.qrcodeImageBase64 ?? recurrence?.qrcodeDetail.imageBase64;
        const amount = charge?.amount.value ?? recurrence?.fixedAmount?.value;
        return (
          <>
            {image !== undefined && image !== '' && (
              <img src={`data:image/png;base64,${image}`} alt={t().record.codeImage} width="150" height="150" />
            )}
            <p class="payee">{recurrence?.receiver.fullName ?? read.payee}</p>
            {amount !== undefined && <p class="sum">{showDecimal(amount)}</p>}
            {charge && <Charged of={charge} isAlone={recurrence === undefined} />}
            {recurrence && <Recurring of={recurrence} withFirstCharge={charge?.status === 'PENDING'} />}
            {charge === undefined && recurrence === undefined && <p class="quiet">{phone.notKnown}</p>}
          </>
        );
      }}
    </Load>
  );
}

/** Shows a charge. A first charge has no button: the payer pays it by authorizing its recurrence. */
function Charged({ of: { id, status, description }, isAlone }: { of: Charge; isAlone: boolean }) {
  return (
    <section aria-label={t().phone.charge}>
      <p>
        {description} <StatusLink of={status} parts={['pay-ins', id]} />
      </p>
      {isAlone && <Steps transitions={transitionsOf('PAY_IN', status, id)} labels={{ PAID: t().phone.pay }} />}
    </section>
  );
}

function Recurring({ of, withFirstCharge }: { of: Recurrence; withFirstCharge: boolean }) {
  const { phone } = t();
  const { id, status, frequencyType, startDate, fixedAmount } = of;
  return (
    <section aria-label={phone.recurrence}>
      <p>
        {phone.authorizes(frequencyType, showDate(startDate), fixedAmount && showDecimal(fixedAmount.value))}{' '}
        <StatusLink of={status} parts={['subscriptions', id]} />
      </p>
      <Steps
        transitions={transitionsOf('SUBSCRIPTION', status, id).map((transition) =>
          withFirstCharge && transition.trigger === 'ACCEPTED' ? { ...transition, asked: withCharge(id) } : transition,
        )}
        labels={{ ACCEPTED: withFirstCharge ? phone.payAndAuthorize : phone.authorize, REJECTED: phone.refuse }}
      />
    </section>
  );
}

function withCharge(id: string) {
  const body = { id, status: 'ACCEPTED', withFirstCharge: true };
  return { operation: 'forceSubscriptionStatus', body } as const;
}

function StatusLink({ of, parts }: { of: string; parts: readonly string[] }) {
  return (
    <a href={linkTo(parts)}>
      <Status of={of} />
    </a>
  );
}

type StepsProps = { transitions: ReturnType<typeof transitionsOf>; labels: Readonly<Record<string, string>> };

/** Shows the allowed transitions that a payer can make. */
function Steps({ transitions, labels }: StepsProps) {
  return (
    <div class="taps">
      {transitions.map(({ trigger, asked }) => {
        const label = labels[trigger];
        if (label === undefined) return null;
        const tone = trigger === 'REJECTED' ? 'danger' : 'primary';
        return <ActButton key={trigger} label={label} asked={asked} trigger={trigger} tone={tone} />;
      })}
    </div>
  );
}

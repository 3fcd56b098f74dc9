import { useState } from 'preact/hooks';
import type { ResponseBody, Ask, OperationId } from '#infra/console/protocol.ts';
import type { Resource } from '#functions/transitions.ts';
import { act } from '../api.ts';
import { showInstant } from '../format.ts';
import { linkTo } from '../place.ts';
import { transitionsOf } from '../requests.ts';
import type { Step } from '../timeline.ts';
import { Curl, Section, Status } from './basics.tsx';

type Act<K extends OperationId> = {
  label: string;
  asked: Ask<K>;
  trigger?: string | undefined;
  done?: string;
  then?: (answered: ResponseBody<K>) => void;
};

/** A button that sends a request, once at a time. */
export function ActButton<K extends OperationId>({ label, asked, trigger, done = `${label}: done.`, then }: Act<K>) {
  const [busy, setBusy] = useState(false);
  const press = async (): Promise<void> => {
    setBusy(true);
    const answered = await act(asked, done);
    setBusy(false);
    if (answered !== undefined) then?.(answered);
  };
  return (
    <button type="button" disabled={busy} data-trigger={trigger} onClick={() => void press()}>
      {label}
    </button>
  );
}

export type Own = { readonly label: string; readonly asked: Ask; readonly trigger?: string };

function Buttons({ of }: { of: readonly Own[] }) {
  return (
    <ul class="buttons">
      {of.map(({ label, asked, trigger }) => (
        <li key={label}>
          <ActButton label={label} asked={asked} trigger={trigger} />
          <Curl of={asked} />
        </li>
      ))}
    </ul>
  );
}

/** The transitions of the bank: one button for each row of the table. */
export function Transitions({ resource, status, id }: { resource: Resource; status: string; id: string }) {
  const transitions = transitionsOf(resource, status, id);
  return (
    <Section title="What the bank may do now" label="Transitions">
      {transitions.length === 0 && <p class="quiet">Nothing: {status} is final for the bank.</p>}
      <Buttons of={transitions.map(({ trigger, asked }) => ({ label: trigger, asked, trigger }))} />
    </Section>
  );
}

/** The requests of the company itself. */
export function OwnRequests({ of }: { of: readonly Own[] }) {
  if (of.length === 0) return null;
  return (
    <Section title="What you may ask for" label="Requests">
      <Buttons of={of} />
    </Section>
  );
}

/** A BR Code, and the link to the payer's phone. */
export function CodeOfPayer({ code, image }: { code: string; image: string }) {
  if (code === '') return null;
  return (
    <Section title="BR Code" class="code">
      <img src={`data:image/png;base64,${image}`} alt="QR code of the text beside it" width="132" height="132" />
      <div>
        <code class="whole">{code}</code>
        <p>
          <a href={linkTo(['phone'], { code })}>Take it to the payer’s phone</a>
        </p>
      </div>
    </Section>
  );
}

export function TimelineList({ steps }: { steps: readonly Step[] }) {
  return (
    <Section title="Timeline">
      <ol class="timeline">
        {steps.map(({ at, kind, title, status, detail, link, asked }, place) => (
          <li key={place}>
            <time dateTime={at}>{showInstant(at)}</time>
            <span class="kind">{kind}</span>
            <span class="what">
              {link === undefined ? title : <a href={linkTo(link)}>{title}</a>}{' '}
              {status !== undefined && <Status of={status} />} {detail !== undefined && <small>{detail}</small>}
            </span>
            <Curl of={asked} />
          </li>
        ))}
      </ol>
    </Section>
  );
}

import { useState } from 'preact/hooks';
import type { Answered, Ask, OperationId } from '#infra/console/protocol.ts';
import type { Resource } from '#functions/transitions.ts';
import { act } from '../api.ts';
import { showInstant } from '../format.ts';
import { linkTo } from '../place.ts';
import { transitionsOf } from '../requests.ts';
import type { Step } from '../timeline.ts';
import { Curl, Status } from './basics.tsx';

/** A button that sends a request, once at a time. */
export function ActButton<K extends OperationId>({
  label,
  asked,
  trigger,
  done = `${label}: done.`,
  then,
}: {
  label: string;
  asked: Ask<K>;
  trigger?: string;
  done?: string;
  then?: (answered: Answered<K>) => void;
}) {
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

/** What the bank may do now: one button for each row of the table of transitions. */
export function Transitions({ resource, status, id }: { resource: Resource; status: string; id: string }) {
  const transitions = transitionsOf(resource, status, id);
  return (
    <section aria-label="Transitions">
      <h2>What the bank may do now</h2>
      {transitions.length === 0 && <p class="quiet">Nothing: {status} is final for the bank.</p>}
      <ul class="buttons">
        {transitions.map(({ trigger, asked }) => (
          <li key={trigger}>
            <ActButton label={trigger} asked={asked} trigger={trigger} />
            <Curl of={asked} />
          </li>
        ))}
      </ul>
    </section>
  );
}

export type Own = { readonly label: string; readonly asked: Ask };

/** What the company itself may ask for now. */
export function OwnRequests({ of }: { of: readonly Own[] }) {
  if (of.length === 0) return null;
  return (
    <section aria-label="Requests">
      <h2>What you may ask for</h2>
      <ul class="buttons">
        {of.map(({ label, asked }) => (
          <li key={label}>
            <ActButton label={label} asked={asked} />
            <Curl of={asked} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A BR Code as the payer gets it, and the way to the payer's phone. */
export function CodeOfPayer({ code, image }: { code: string; image: string }) {
  if (code === '') return null;
  return (
    <section aria-label="BR Code" class="code">
      <h2>BR Code</h2>
      <img src={`data:image/png;base64,${image}`} alt="QR code of the text beside it" width="132" height="132" />
      <div>
        <code class="whole">{code}</code>
        <p>
          <a href={linkTo(['phone'], { code })}>Take it to the payer’s phone</a>
        </p>
      </div>
    </section>
  );
}

/** Everything that happened, oldest first. */
export function TimelineList({ steps }: { steps: readonly Step[] }) {
  return (
    <section aria-label="Timeline">
      <h2>Timeline</h2>
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
    </section>
  );
}

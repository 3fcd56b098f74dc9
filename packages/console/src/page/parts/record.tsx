import { useState } from 'preact/hooks';
import type { ResponseBody, Ask, OperationId } from '#console/protocol.ts';
import type { Resource } from '#functions/transitions.ts';
import type { Notice } from '../api.ts';
import { act, ask, notice } from '../api.ts';
import { showInstant } from '../format.ts';
import { t } from '../language.ts';
import { linkTo } from '../route.ts';
import { transitionsOf } from '../requests.ts';
import type { Step } from '../timeline.ts';
import { Code, Curl, Section, Status } from './basics.tsx';
import { isGood } from '../tone.ts';

/** Style of a button: the one main action of a screen, an irreversible action, or any other. */
type Tone = 'primary' | 'danger' | 'plain';
type Press<T> = {
  label: string;
  /** The action of the button. */
  work: () => Promise<T>;
  trigger?: string | undefined;
  done?: string | undefined;
  tone?: Tone | undefined;
  then?: ((outcome: T) => void) | undefined;
  /** Receives the error, which is also shown at the foot. */
  refused?: ((why: Notice) => void) | undefined;
};

/** A button that runs an action and is disabled while it runs. */
export function Press<T>({
  label,
  work,
  trigger,
  done = t().basics.done(label),
  tone = 'plain',
  then,
  refused,
}: Press<T>) {
  const [busy, setBusy] = useState(false);
  const press = async (): Promise<void> => {
    setBusy(true);
    const outcome = await act(work, done);
    setBusy(false);
    if (outcome !== undefined) then?.(outcome);
    else if (notice.value !== undefined) refused?.(notice.value);
  };
  return (
    <button type="button" class={tone} disabled={busy} data-trigger={trigger} onClick={() => void press()}>
      {label}
    </button>
  );
}

type Act<K extends OperationId> = Omit<Press<ResponseBody<K>>, 'work'> & { asked: Ask<K> };

/** A button that sends a request. */
export function ActButton<K extends OperationId>({ asked, ...rest }: Act<K>) {
  return <Press {...rest} work={() => ask(asked)} />;
}

export type Own = { readonly label: string; readonly asked: Ask; readonly trigger?: string; readonly tone?: Tone };

function Buttons({ of }: { of: readonly Own[] }) {
  return (
    <>
      <div class="buttons">
        {of.map(({ label, asked, trigger, tone }) => (
          <ActButton key={label} label={label} asked={asked} trigger={trigger} tone={tone} />
        ))}
      </div>
      {of.map(({ label, asked }) => (
        <Curl key={label} of={asked} label={`${label}, curl`} />
      ))}
    </>
  );
}

/** Shows the transitions of the bank, one button for each; the first successful one is highlighted. */
export function Transitions({ resource, status, id }: { resource: Resource; status: string; id: string }) {
  const transitions = transitionsOf(resource, status, id);
  const main = transitions.find(({ trigger }) => isGood(trigger));
  const { bankMayDo, bankIsDone } = t().record;
  return (
    <Section title={bankMayDo} label={t().record.transitions} class="panel">
      {transitions.length === 0 && <p class="quiet">{bankIsDone(status)}</p>}
      <Buttons
        of={transitions.map(({ trigger, asked }) => ({
          label: trigger,
          asked,
          trigger,
          tone: trigger === main?.trigger ? 'primary' : 'plain',
        }))}
      />
    </Section>
  );
}

/** Shows the requests by which the company itself ends something, apart from all others. */
export function OwnRequests({ of }: { of: readonly Own[] }) {
  if (of.length === 0) return null;
  return (
    <Section title={t().record.youMayAsk} label={t().record.requests} class="panel danger">
      <Buttons of={of.map((button) => ({ ...button, tone: 'danger' }))} />
    </Section>
  );
}

/** A BR Code, and the link to the payer's phone. */
export function CodeOfPayer({ code, image }: { code: string; image: string }) {
  if (code === '') return null;
  return (
    <Section title="BR Code" class="panel code">
      <img src={`data:image/png;base64,${image}`} alt={t().record.codeImage} width="132" height="132" />
      <div>
        <Code text={code} what="BR Code" />
        <p>
          <a class="button" href={linkTo(['phone'], { code })}>
            {t().record.toPhone}
          </a>
        </p>
      </div>
    </Section>
  );
}

/** Shows steps in order of time. @param title the timeline's name, where a screen has several */
export function TimelineList({ steps, title: name = t().record.timeline }: { steps: readonly Step[]; title?: string }) {
  return (
    <Section title={name}>
      <ol class="timeline">
        {steps.map(({ at, kind, title, status, detail, link, asked }, place) => (
          <li key={place}>
            <time dateTime={at}>{showInstant(at)}</time>
            <span class="kind" data-kind={kind}>
              {t().kinds[kind]}
            </span>
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

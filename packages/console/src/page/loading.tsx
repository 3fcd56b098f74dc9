import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Notice } from './api.ts';
import { changes, describe } from './api.ts';
import { t } from './language.ts';
import { FieldErrors } from './parts/basics.tsx';

type Loading<T> = {
  /** Identifies the data: data that was read under another name is not shown. */
  name: string;
  read: () => Promise<T>;
  /** @param isStale the last read failed: `data` comes from an earlier one */
  children: (data: T, isStale: boolean) => ComponentChildren;
};
type State<T> = { readonly name: string; readonly data?: T; readonly failure?: Notice };

const everyMs = 2000;
/** The longest wait between two reads, even slow ones: the page notices a failing service within this time. */
const atLeastEveryMs = 15_000;

/**
 * Reads something and shows it: again after every action, and every two seconds while the page is visible. A slow read
 * repeats less often. The data stays until the next response.
 */
export function Load<T>({ name, read, children }: Loading<T>) {
  const [state, setState] = useState<State<T>>({ name });
  const turn = changes.value;
  useEffect(() => {
    let gone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      const began = performance.now();
      if (!document.hidden)
        try {
          const data = await read();
          if (!gone) setState({ name, data });
        } catch (error) {
          if (!gone) setState((before) => ({ ...before, name, failure: describe(error) }));
        }
      const tookMs = performance.now() - began;
      if (!gone) timer = setTimeout(() => void look(), Math.min(atLeastEveryMs, Math.max(everyMs, 10 * tookMs)));
    };
    void look();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [name, turn]);
  const { data, failure }: State<T> = state.name === name ? state : { name };
  return (
    <>
      {failure !== undefined && (
        <Failure>
          {failure.text}
          {data !== undefined && ` ${t().basics.readBefore}`}
          <FieldErrors of={failure.details} />
        </Failure>
      )}
      {data === undefined ? failure === undefined && <Reading /> : children(data, failure !== undefined)}
    </>
  );
}

/** Placeholder during the first read. */
function Reading() {
  return (
    <div class="reading">
      <span class="unseen">{t().basics.reading}</span>
      <i />
      <i />
      <i />
    </div>
  );
}

export function Failure({ children }: { children: ComponentChildren }) {
  return (
    <div class="failure" role="alert">
      {children}
    </div>
  );
}

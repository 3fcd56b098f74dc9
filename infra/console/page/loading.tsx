import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { changes, describe } from './api.ts';

type Loaded<T> = { readonly data: T | undefined; readonly failure: string | undefined };

const everyMs = 2000;

/**
 * Reads something, again after every action, and every two seconds while somebody looks: longer where reading takes
 * long. What was read stays until the next answer is there.
 * @param key What is read: with another one the old answer no longer counts.
 */
export function useLoaded<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ readonly key: string } & Partial<Loaded<T>>>({ key });
  const turn = changes.value;
  useEffect(() => {
    let gone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      const began = performance.now();
      if (!document.hidden)
        try {
          const data = await load();
          if (!gone) setState({ key, data });
        } catch (error) {
          if (!gone) setState((before) => ({ ...before, key, failure: describe(error).text }));
        }
      const tookMs = performance.now() - began;
      if (!gone) timer = setTimeout(() => void look(), Math.max(everyMs, 10 * tookMs));
    };
    void look();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [key, turn]);
  const current = state.key === key;
  return { data: current ? state.data : undefined, failure: current ? state.failure : undefined };
}

/** Shows what was read, and says so when it cannot be read. */
export function Show<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  return (
    <>
      {of.failure !== undefined && (
        <p class="failure" role="alert">
          {of.failure}
        </p>
      )}
      {of.data === undefined ? of.failure === undefined && <p class="quiet">Reading…</p> : children(of.data)}
    </>
  );
}

import { createHash } from 'node:crypto';
import { instantOf } from '#test/model/bank-books.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';

/** One event of the world. */
type Event = { readonly step: number; readonly ms: number; readonly kind: string; readonly text: string };

/** Reports what is not as it must be. */
export type Finding = (invariant: string, text: string, ids: readonly string[]) => void;

/** What is not as it must be. */
export type Found = {
  readonly invariant: string;
  readonly text: string;
  readonly ids: readonly string[];
  readonly step: number;
};

const kept = 4000;
const shown = 25;

export type History = ReturnType<typeof historyOf>;

/** The life of a world, event by event: its steps, their digest, and what was found. */
export function historyOf(time: VirtualTime) {
  const digest = createHash('sha256');
  const events: Event[] = [];
  const counts = new Map<string, number>();
  const found: Found[] = [];
  let step = 0;
  return {
    counts,
    found,
    step: (): number => step,
    /** A step: one event. */
    add: (kind: string, text: string): void => {
      step += 1;
      counts.set(`event ${kind}`, (counts.get(`event ${kind}`) ?? 0) + 1);
      const ms = time.now();
      digest.update(`${ms} ${kind} ${text}\n`);
      events.push({ step, ms, kind, text });
      if (events.length > 2 * kept) events.splice(0, kept);
    },
    /** Something that happened within a step. */
    met: (occurrence: string): void => {
      counts.set(occurrence, (counts.get(occurrence) ?? 0) + 1);
    },
    finding: (invariant: string, text: string, ids: readonly string[]): void => {
      found.push({ invariant, text, ids, step });
    },
    digest: (): string => digest.copy().digest('hex'),
    /** The last events that name one of these, or the last of all. */
    lastOf: (ids: readonly string[]): readonly string[] => {
      // The bank knows the same ids without hyphens.
      const names = ids.filter((id) => id.length > 20).flatMap((id) => [id, id.replaceAll('-', '')]);
      const own = events.filter(({ text, kind }) => names.some((id) => text.includes(id) || kind.includes(id)));
      const some = own.length > 0 ? own : events;
      return some.slice(-shown).map((one) => `${one.step} ${instantOf(one.ms)} ${one.kind} ${one.text.slice(0, 240)}`);
    },
  };
}

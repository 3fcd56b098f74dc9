import type { Finding } from '#test/simulation/world/history.ts';

/** What did not hold, with the last events of what it is about. */
export type Found = {
  readonly cycle: number;
  readonly invariant: string;
  readonly text: string;
  readonly last: readonly string[];
};
/** A fault that a check found. */
export type Violation = { readonly invariant: string; readonly text: string; readonly ids: readonly string[] };

/** Events that are shown of a finding. */
const shown = 15;
/** An answer may be long. */
const longest = 700;

export type Journal = ReturnType<typeof openJournal>;

/** What happened in a run, event by event, and what was found. */
export function openJournal() {
  const events: string[] = [];
  const found: Found[] = [];
  let cycle = 0;
  const note = (text: string): void => {
    events.push(`${new Date().toISOString().slice(11, 23)} cycle ${cycle}: ${text.slice(0, longest)}`);
  };
  const finding: Finding = (invariant, text, ids) => {
    const known = ids.filter((id) => id !== '');
    const last = events.filter((event) => known.some((id) => event.includes(id))).slice(-shown);
    found.push({ cycle, invariant, text: text.slice(0, 2 * longest), last });
  };
  return {
    found,
    note,
    finding,
    report: (faults: readonly Violation[]): void => {
      for (const { invariant, text, ids } of faults) finding(invariant, text, ids);
    },
    /** The next cycle. */
    begin: (): number => (cycle += 1),
    cycle: () => cycle,
  };
}

import type { World } from './context.ts';

/** One thing that happens, or that is looked at: it fails when something is not as the specification says. */
export type Act = (world: World) => Promise<void>;
/** A chapter of a story: its title, and what happens in it. */
type Step = { readonly title: string; readonly acts: readonly Act[] };

/** A whole story between a partner, a payer, a bank and the service: a list of steps. */
export type Story = {
  readonly name: string;
  /** What it shows, one line. */
  readonly about: string;
  /** It tells the receiver how to answer, which only the tool's own receiver can be told. */
  readonly scriptsReceiver?: true;
  readonly steps: readonly Step[];
};

export function step(title: string, ...acts: readonly Act[]): Step {
  return { title, acts };
}

/** What is wrong, and what to do: a command of the operator, or a section of the runbook. */
export type Problem = { readonly problem: string; readonly next: string };

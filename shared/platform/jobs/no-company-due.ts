import type { DueInCompany } from './company-due.ts';

/** Production: what is due is looked for across companies only. */
export const dueInCompany: DueInCompany = () => undefined;

import type { dueInCompany as production } from '../platform/jobs/no-company-due.ts';

/** Work that follows a company's clock also stands in the index of its company, where clocks are simulated. */
export const dueInCompany: typeof production = (attributes) => attributes;

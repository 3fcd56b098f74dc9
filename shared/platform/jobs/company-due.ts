/**
 * The attributes by which work that follows a company's clock stands in the index of its company, where clocks are
 * simulated. `#company-due` is one of two files, chosen when a function is bundled (the condition `real-time` of
 * package.json's `imports`): production holds `no-company-due.ts` and pays for no entry that nobody reads there; every
 * other environment, the operator's commands and the tests hold this one.
 */
export type DueInCompany = <Attributes>(attributes: Attributes) => Attributes | undefined;

export const dueInCompany: DueInCompany = (attributes) => attributes;

/** Banks that the simulated one can be as narrow as; `FULL`: as wide as the specification. */
export const bankNames = ['FULL', 'EFI', 'QITECH'] as const;
/** Windows of scheduled payments: those of the environment, or production's. */
export const scheduleNames = ['OPEN', 'PRODUCTION'] as const;

/** How near to production the sandbox is for a company. */
export type BankProfile = {
  readonly profile: (typeof bankNames)[number];
  readonly schedule: (typeof scheduleNames)[number];
};

/** The profile of a company that has set none. */
export const widest: BankProfile = { profile: 'FULL', schedule: 'OPEN' };

/** ISPBs of institutions at which the simulation's made-up payers and receivers have their accounts. */
export const simulatedIspbs = ['00000000', '60701190', '18236120', '60746948', '90400888', '00360305'] as const;

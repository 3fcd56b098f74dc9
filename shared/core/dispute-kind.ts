/** Why a payer claims money back (BCB, Mecanismo Especial de Devolução): fraud, or an error of a bank. */
export const disputeKinds = ['FRAUD', 'OPERATIONAL_ERROR'] as const;
export type DisputeKind = (typeof disputeKinds)[number];

/**
 * Codes of a rejected payment on which a partner can act (BCB, Catálogo de Mensagens do SPI, pacs.002). Other codes of
 * a bank are kept as text.
 */
export const spiRejections = {
  AB03: 'The settlement was not finished in time.',
  AB09: 'The institution of the receiver had an error.',
  AC03: 'The account of the receiver does not exist.',
  AC06: 'The account of the receiver is blocked.',
  AC07: 'The account of the receiver is closed.',
  AC14: 'The account of the receiver is of another type.',
  AG03: 'The account of the receiver does not take this kind of payment.',
  AM02: 'The amount is above what the account of the receiver may take.',
  BE01: 'The document is not that of the holder of the account.',
  DS04: 'The institution of the receiver did not accept the payment.',
  ED05: 'The payment could not be processed.',
  FRAD: 'The payment was refused for suspicion of fraud.',
} as const;

export type SpiRejection = keyof typeof spiRejections;

/** The text of an error as records carry it: the bank's code first, where it gave one. */
export function errorMessageOf({ code, reason }: { readonly code?: string; readonly reason: string }): string {
  return code === undefined ? reason : `${code}: ${reason}`;
}

import type { Instant } from './brasilia-time.ts';

/** The end of the return of a received payment (devolução), as a bank reports it. `endToEndId`: `rtrId`, `D…`. */
export type ReturnSettled = { readonly outcome: 'SETTLED'; readonly at: Instant; readonly endToEndId: string };
export type ReturnEvent =
  ReturnSettled | { readonly outcome: 'FAILED'; readonly code?: string; readonly reason: string };

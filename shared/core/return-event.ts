import type { Instant } from './brasilia-time.ts';

/** What a bank says of the return of a received payment (devolução) that has ended. `endToEndId`: `rtrId`, `D…`. */
export type ReturnSettled = { readonly outcome: 'SETTLED'; readonly at: Instant; readonly endToEndId: string };
export type ReturnEvent =
  ReturnSettled | { readonly outcome: 'FAILED'; readonly code?: string; readonly reason: string };

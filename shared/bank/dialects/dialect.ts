/** Bank protocols that the service speaks. Each has a folder here and an entry in every table of dialects.ts. */
export const dialectNames = ['EFI', 'QITECH'] as const;
export type Dialect = (typeof dialectNames)[number];

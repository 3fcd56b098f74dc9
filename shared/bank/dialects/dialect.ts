/** Protocols of banks that the service speaks: each is a folder here, with its place in every table of dialects.ts. */
export const dialectNames = ['EFI'] as const;
export type Dialect = (typeof dialectNames)[number];

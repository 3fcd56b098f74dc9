/** Moments of the story that all examples tell, in their order. */
export const exampleTimes = {
  opened: '2026-01-02T13:00:00.000Z',
  created: '2026-01-15T12:00:00.000Z',
  authorized: '2026-01-15T12:04:31.250Z',
  paid: '2026-01-15T12:05:07.123Z',
  told: '2026-01-15T12:05:07.480Z',
  refunded: '2026-01-16T10:00:00.000Z',
} as const;

import type { Session } from './session.ts';

/** Adds centavos to the client's balance, or takes them. */
export function moveBalance({ client, common }: Session, by: number): void {
  // Reads the client again, because a session may change the balance twice.
  const now = common.find('client', client.id) ?? client;
  common.save('client', client.id, { ...now, balance: now.balance + by });
}

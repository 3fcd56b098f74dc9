import type { CodeSender } from '#shared/pix-keys/codes/sender.ts';

/** Outside production: codes for these addresses leave the environment, all others are only kept. */
export function sendOnlyTo(recipients: readonly string[], send: CodeSender, keep: CodeSender): CodeSender {
  return (message) => (recipients.includes(message.key) ? send(message) : keep(message));
}

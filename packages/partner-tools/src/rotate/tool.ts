import { randomUUID } from 'node:crypto';
import { RotateWebhookSecret } from '#functions/webhooks/rotate-secret/contract.ts';
import { overlapSeconds as overlap } from '#shared/webhooks/settings.ts';
import { connectPartner } from '../api/client.ts';
import { send } from '../api/http.ts';
import type { EnvironmentOptions } from '../command-line.ts';
import { defineEnvironmentTool, printFor } from '../command-line.ts';
import { companyOf, keepWebhookSecret, readSandbox, sandboxFile } from '../sandbox.ts';
import { readOverlap } from '../times.ts';

async function run(given: EnvironmentOptions<'overlap'>): Promise<void> {
  const print = printFor(given);
  const overlapSeconds = readOverlap(given.overlap);
  const file = sandboxFile(given.sandbox);
  const sandbox = readSandbox(file);
  const company = companyOf(sandbox, given.company);
  const partner = connectPartner(sandbox, company, send);
  // The same key returns the same secret when the first response was lost.
  const ask = { key: randomUUID(), body: { overlapSeconds } };
  const { body } = await partner.call(RotateWebhookSecret, ask).catch(() => partner.call(RotateWebhookSecret, ask));
  const { secret, previousSecretExpiresAt } = body;
  print(secret, { kind: 'rotated', company: company.name, secret, previousSecretExpiresAt });
  keepWebhookSecret(file, company.companyId, secret);
  print(
    `\nIt is stored in ${file}. Give it to your receiver before ${previousSecretExpiresAt}: until then the service also signs with the previous one.`,
  );
}

/** Rotates the webhook secret. */
export const rotate = defineEnvironmentTool(
  'rotate',
  'Creates a new webhook secret, prints it once, and stores it in the sandbox file.',
)
  .option(
    '--overlap <SECONDS>',
    `how long the service also signs with the current secret (default: ${overlap.usual}; at most ${overlap.longest}; 0: not at all)`,
  )
  .action(run);

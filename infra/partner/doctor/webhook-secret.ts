import * as z from 'zod';
import { GetWebhookSettings } from '#functions/webhooks/get/contract.ts';
import type { Partner } from '../api/client.ts';
import type { Send } from '../api/http.ts';
import { signatureFaults } from '../receiver/signatures.ts';
import type { Sandbox } from '../sandbox.ts';
import type { Finding } from './finding.ts';
import { bad, good } from './finding.ts';
import { read } from './way-in.ts';

const Inbox = z.object({
  received: z.array(
    z.object({
      at: z.iso.datetime(),
      headers: z.record(z.string(), z.string()),
      bytes: z.base64(),
      /** Whose secret signed it, as the environment itself knows. */
      company: z.object({ companyId: z.string() }).nullable(),
    }),
  ),
});

/**
 * Whether the webhook secret of the sandbox file is the one that signs. The service never tells it, so this is seen
 * only where an endpoint is the receiver that a local environment brings: by what came there last. Undefined elsewhere.
 */
export async function examineWebhookSecret(
  { baseUrl }: Sandbox,
  partner: Pick<Partner, 'call' | 'companyId' | 'webhookSecret'>,
  send: Send,
): Promise<Finding | undefined> {
  const { events } = (await partner.call(GetWebhookSettings)).body;
  const inboxes = events.flatMap(({ endpoint }) => inboxPath(baseUrl, endpoint));
  const answers = await Promise.all(inboxes.map((path) => send(baseUrl, { method: 'GET', path })));
  const last = answers
    .flatMap((answer) => Inbox.safeParse(read(answer)).data?.received ?? [])
    .filter(({ company }) => company?.companyId === partner.companyId)
    .toSorted((a, b) => a.at.localeCompare(b.at))
    .at(-1);
  if (last === undefined) return undefined;
  const signed = { raw: Buffer.from(last.bytes, 'base64'), headers: last.headers, at: Date.parse(last.at) };
  if (signatureFaults(signed, partner.webhookSecret).length === 0)
    return good('secret', 'The webhook secret in the sandbox file is the one that signs.');
  return bad(
    'secret',
    'The webhook secret in the sandbox file is not the one that signs.',
    'It was rotated since: write the new one there. If nobody kept it, POST /order/v1/webhook/rotate-secret makes another.',
  );
}

/** `/receiver/{name}` of an endpoint that is the environment's own receiver. */
function inboxPath(baseUrl: string, endpoint: string): readonly string[] {
  const [path] = endpoint.startsWith(`${baseUrl}/`)
    ? (/^\/receiver\/[\w.-]+/u.exec(endpoint.slice(baseUrl.length)) ?? [])
    : [];
  return path === undefined ? [] : [path];
}

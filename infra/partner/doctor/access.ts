import * as z from 'zod';
import { GetClock } from '#functions/order-tools/get-clock/contract.ts';
import { GetWebhookSettings } from '#functions/webhooks/get/contract.ts';
import type { Partner } from '../api/client.ts';
import { tokenForm, tokenRequest } from '../api/client.ts';
import type { HttpResponse, Send } from '../api/http.ts';
import { jsonOf } from '../api/http.ts';
import { signatureFaults } from '../receiver/signatures.ts';
import type { Company, Sandbox } from '../sandbox.ts';
import type { Finding } from './finding.ts';
import { advice, bad, good } from './finding.ts';

/** Covers the seconds of a `date` header and the time of the response. */
const clockToleranceMs = 30_000;

type Reached = { readonly finding: Finding; readonly received?: HttpResponse };

/** Whether the service responds at its address: only it refuses a request without a token in these words. */
export async function examinePort({ baseUrl }: Sandbox, send: Send): Promise<Reached> {
  const { method, path } = GetWebhookSettings;
  const received = await send(baseUrl, { method, path }).catch(reasonOf);
  const none = `Nothing answers at ${baseUrl}`;
  if (typeof received === 'string')
    return { finding: bad('port', `${none} (${received}).`, 'Run "npm start" in another terminal.') };
  const isService = received.status === 401 && received.text.includes('"UNAUTHORIZED"');
  if (isService) return { finding: good('port', `The service answers at ${baseUrl}.`), received };
  const found = `What answers at ${baseUrl} is not the service: ${received.status} to a request without a token.`;
  return { finding: bad('port', found, 'Stop that program, or start the service on another port: PORT=0 npm start.') };
}

/** Tokens and signatures need the same time on both sides. */
export function examineClock({ headers }: HttpResponse, nowMs: number): Finding {
  const aheadMs = nowMs - Date.parse(headers.date ?? '');
  if (Number.isNaN(aheadMs)) return advice('clock', 'The service does not say its time.', 'Compare it with yours.');
  if (Math.abs(aheadMs) <= clockToleranceMs) return good('clock', 'This machine and the service agree.');
  const by = `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
  const cure = 'Set its clock, or let NTP do it: signatures are good for 5 minutes.';
  return bad('clock', `This machine is ${by} the service.`, cure);
}

/** Whether the company's simulated clock is ahead. */
export async function examineCompanyClock(partner: Partner): Promise<Finding | undefined> {
  const received = await partner.answer(GetClock);
  const offset = GetClock.answers[200].safeParse(jsonOf(received.text)).data?.offsetSeconds ?? 0;
  if (offset === 0) return undefined;
  const found = `The company's simulated clock is ${offset} s ahead: dates and hours follow it.`;
  return advice('clock', found, 'DELETE /order-tools/v1/clock goes back to real time.');
}

/** Whether the client gets a token, and the token gives access. */
export async function examineToken(
  { tokenUrl, scope }: Sandbox,
  { companyId, ...client }: Company,
  partner: Pick<Partner, 'answer'>,
  send: Send,
): Promise<Finding> {
  const given = await send(...tokenRequest(tokenUrl, tokenForm(scope, client))).catch(reasonOf);
  if (typeof given === 'string')
    return bad('token', `Nothing answers at ${tokenUrl} (${given}).`, 'Ask the operator for the present token URL.');
  const error = (jsonOf(given.text) as { error?: unknown } | undefined)?.error;
  const code = typeof error === 'string' ? error : String(given.status);
  if (code === 'invalid_client')
    return bad(
      'token',
      'The client id or its secret is not accepted (invalid_client).',
      `Take those in the sandbox file as they stand, or let an operator make new ones for ${companyId} ("npm run operator -- client:create").`,
    );
  if (given.status !== 200)
    return bad('token', `No token is given (${code}).`, `Look at scope (${scope}) and tokenUrl in the sandbox file.`);
  const { status } = await partner.answer(GetWebhookSettings);
  if (status === 200) return good('token', 'The client gets a token, and the service takes it.');
  const restore = `Run "npm run operator -- client:restore --client-id ${client.clientId}", or ask the operator.`;
  const revoked = 'The token gives no access (403): its client was revoked, or belongs to no company.';
  if (status === 403) return bad('token', revoked, restore);
  const unknown = 'The service does not know the issuer of the token (401).';
  if (status === 401) return bad('token', unknown, 'Take baseUrl and tokenUrl of one environment.');
  const cure = 'Look at functions.log, or ask the operator with the x-request-id.';
  return bad('token', `The service answers ${status} to a good token.`, cure);
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

const Inbox = z.object({
  received: z.array(
    z.object({
      at: z.iso.datetime(),
      headers: z.record(z.string(), z.string()),
      bytes: z.base64(),
      /** The company whose secret signed it. */
      company: z.object({ companyId: z.string() }).nullable(),
    }),
  ),
});

/** Whether the sandbox file's webhook secret signs. Only the receiver of a local environment can show that. */
export async function examineWebhookSecret(
  { baseUrl }: Sandbox,
  partner: Pick<Partner, 'call' | 'companyId' | 'webhookSecret'>,
  send: Send,
): Promise<Finding | undefined> {
  const { events } = (await partner.call(GetWebhookSettings)).body;
  const inboxes = events.flatMap(({ endpoint }) =>
    endpoint.startsWith(`${baseUrl}/`) ? (/^\/receiver\/[\w.-]+/u.exec(endpoint.slice(baseUrl.length)) ?? []) : [],
  );
  const answers = await Promise.all(inboxes.map((path) => send(baseUrl, { method: 'GET', path })));
  const last = answers
    .flatMap((answer) => Inbox.safeParse(jsonOf(answer.text)).data?.received ?? [])
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

import { statSync } from 'node:fs';
import * as z from 'zod';
import { GetClock } from '#functions/order-tools/get-clock/contract.ts';
import { GetWebhookSettings } from '#functions/webhooks/get/contract.ts';
import { accountToUse } from '../api/accounts.ts';
import { refusedUses } from '../api/capabilities.ts';
import type { Partner } from '../api/client.ts';
import { connectPartner, tokenForm, tokenRequest } from '../api/client.ts';
import type { HttpResponse, Send } from '../api/http.ts';
import { jsonOf } from '../api/http.ts';
import { ToolFailure } from '../failures.ts';
import { commandLine, howToGetNode, howToStart, oldestNode } from '../invocation.ts';
import { signatureErrors } from '../receiver/signatures.ts';
import type { Company, Sandbox } from '../sandbox.ts';
import { companyOf, readSandbox } from '../sandbox.ts';
import type { Finding } from './finding.ts';
import { advice, bad, good } from './finding.ts';
import { examineDeliveries, examineEndpoints, examineUnwell } from './notifications.ts';

/** The machine on which the doctor runs, and the company to examine. */
export type Patient = {
  readonly nodeVersion: string;
  readonly platform: string;
  /** Whether the embedded engine is installed. */
  readonly hasEngine: boolean;
  /** Whether DynamoDB Local was fetched: `npm start -- --engine dynamodb-local`. */
  readonly hasDynamoDbLocal: boolean;
  /** `AWS_ENDPOINT_URL_DYNAMODB`: the user's own engine. */
  readonly ownEngine: string | undefined;
  /** The sandbox file. */
  readonly file: string;
  /** Id or name of the company. */
  readonly company: string | undefined;
  /** Whether the environment runs on this machine, and so needs a DynamoDB engine. */
  readonly isLocal: boolean;
  readonly send: Send;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
};

/** Yields each finding immediately. Ends early when the remaining parts need a broken one. */
export async function* examine(patient: Patient): AsyncGenerator<Finding, void, void> {
  yield examineNode(patient);
  if (patient.isLocal) yield examineEngine(patient);
  const { finding: folder, known } = examineFolder(patient.file, patient.company);
  yield folder;
  if (known === undefined) return;
  const { sandbox, company } = known;
  const { finding: port, received } = await examinePort(sandbox, patient.send);
  yield port;
  if (received === undefined) return;
  yield examineClock(received, patient.nowMs());
  const partner = connectPartner(sandbox, company, patient.send);
  const token = await examineToken(sandbox, company, partner, patient.send);
  yield token;
  if (token.verdict !== 'good') return;
  yield* examineCompanyClock(partner);
  yield* examineBank(partner);
  yield* examineEndpoints(partner);
  yield* examineUnwell(partner);
  yield* examineWebhookSecret(sandbox, partner, patient.send);
  yield* examineDeliveries(partner);
}

/** This file of the repository shows that DynamoDB Local was fetched. */
export const dynamoDbLocalStamp = '.dynamodb-local/jars/.complete';
/** Mode bits that let other users read a file. */
const othersMayRead = 0o044;

function examineNode({ nodeVersion }: Patient): Finding {
  if (Number(nodeVersion.split('.')[0]) >= oldestNode) return good('node', `Node ${nodeVersion}.`);
  return bad('node', `Node ${nodeVersion} is too old.`, howToGetNode);
}

function examineEngine({ platform, hasEngine, hasDynamoDbLocal, ownEngine }: Patient): Finding {
  if (ownEngine !== undefined) return good('engine', `DynamoDB at ${ownEngine}.`);
  if (hasEngine) return good('engine', `The embedded DynamoDB engine for ${platform}.`);
  if (hasDynamoDbLocal) return good('engine', 'DynamoDB Local, for npm start -- --engine dynamodb-local.');
  const cure = 'On Linux x64 run "npm ci"; elsewhere run "npm start -- --engine dynamodb-local" (Java 17).';
  return bad('engine', `There is no DynamoDB engine for ${platform}.`, cure);
}

type Folder = { readonly finding: Finding; readonly known?: { readonly sandbox: Sandbox; readonly company: Company } };

/** Reads the sandbox file and finds the company to act for. */
function examineFolder(file: string, named: string | undefined): Folder {
  try {
    const sandbox = readSandbox(file);
    const company = companyOf(sandbox, named);
    const known = { sandbox, company };
    if ((statSync(file).mode & othersMayRead) === 0)
      return { finding: good('folder', `${file}, company ${company.name}.`), known };
    const found = `Other users of this machine may read the secrets in ${file}.`;
    return { finding: bad('folder', found, `Run "chmod 600 ${file}".`), known };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { finding: bad('folder', error.message.replaceAll(/\s+/gu, ' '), error.next) };
  }
}

/** Tolerated difference of the clocks: a `date` header has whole seconds, and a response takes time. */
const clockToleranceMs = 30_000;

type Reached = { readonly finding: Finding; readonly received?: HttpResponse };

/**
 * Examines whether the service responds at its address. Only the service refuses a request without a token by 401 and
 * `UNAUTHORIZED`.
 */
async function examinePort({ baseUrl }: Sandbox, send: Send): Promise<Reached> {
  const { method, path } = GetWebhookSettings;
  const received = await send(baseUrl, { method, path }).catch(reasonOf);
  const noResponse = `No response from ${baseUrl}`;
  if (typeof received === 'string') return { finding: bad('port', `${noResponse} (${received}).`, `${howToStart}.`) };
  const isService = received.status === 401 && received.text.includes('"UNAUTHORIZED"');
  if (isService) return { finding: good('port', `The service responds at ${baseUrl}.`), received };
  const found = `Another program responds at ${baseUrl}: status ${received.status} to a request without a token.`;
  return { finding: bad('port', found, 'Stop that program, or start the service on another port: PORT=0 npm start.') };
}

/** Tokens and signatures need the same time on both sides. */
function examineClock({ headers }: HttpResponse, nowMs: number): Finding {
  const aheadMs = nowMs - Date.parse(headers.date ?? '');
  if (Number.isNaN(aheadMs)) return advice('clock', 'The response of the service has no date.', 'Compare both clocks.');
  if (Math.abs(aheadMs) <= clockToleranceMs) return good('clock', 'This machine and the service have the same time.');
  const by = `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
  const cure = 'Set the clock of this machine, or use NTP: a signature is valid for 5 minutes.';
  return bad('clock', `The clock of this machine is ${by} the service.`, cure);
}

/** Whether the company's simulated clock is ahead. */
async function* examineCompanyClock(partner: Partner): AsyncGenerator<Finding> {
  const received = await partner.answer(GetClock);
  const offset = GetClock.responses[200].safeParse(jsonOf(received.text)).data?.offsetSeconds ?? 0;
  const found = `The company's simulated clock is ${offset} s ahead of real time: dates and times follow it.`;
  if (offset !== 0) yield advice('clock', found, 'DELETE /order-tools/v1/clock returns to real time.');
}

/** Whether the bank of the account refuses what the company has used lately. */
async function* examineBank(partner: Partner): AsyncGenerator<Finding> {
  const cure = 'GET /order/v1/banking/accounts/{accountId}/capabilities shows what it can do.';
  try {
    const uses = await refusedUses(partner, await accountToUse(partner, undefined));
    for (const found of uses) yield advice('bank', found, cure);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    yield advice('bank', error.message.replaceAll(/\s+/gu, ' '), error.next);
  }
}

/** Whether the client gets a token, and the token gives access. */
async function examineToken(
  { tokenUrl, scope }: Sandbox,
  { companyId, ...client }: Company,
  partner: Partner,
  send: Send,
): Promise<Finding> {
  const given = await send(...tokenRequest(tokenUrl, tokenForm(scope, client))).catch(reasonOf);
  if (typeof given === 'string')
    return bad('token', `No response from ${tokenUrl} (${given}).`, 'Ask the operator for the current token URL.');
  const error = (jsonOf(given.text) as { error?: unknown } | undefined)?.error;
  const code = typeof error === 'string' ? error : String(given.status);
  if (code === 'invalid_client')
    return bad(
      'token',
      'The token endpoint rejects the client id or its secret (invalid_client).',
      `Check clientId and clientSecret in the sandbox file, or ask the operator for a new client of ${companyId} ("npm run operator -- client:create").`,
    );
  if (given.status !== 200)
    return bad(
      'token',
      `The token endpoint returns no token (${code}).`,
      `Check scope (${scope}) and tokenUrl in the sandbox file.`,
    );
  const { status, text } = await partner.answer(GetWebhookSettings);
  if (status === 200) return good('token', 'The client gets a token, and the service accepts it.');
  const restore = `Run "npm run operator -- client:restore --client-id ${client.clientId}", or ask the operator.`;
  const revoked = 'The token gives no access (403): its client was revoked, or belongs to no company.';
  if (status === 403) return bad('token', revoked, restore);
  const message = (jsonOf(text) as { message?: unknown } | undefined)?.message;
  const cause = typeof message === 'string' ? `: ${message.replaceAll(/\s+/gu, ' ')}` : '.';
  const apart =
    'Use baseUrl and tokenUrl of one environment, and compare the clocks of the token issuer and the service.';
  if (status === 401) return bad('token', `The service refuses the token (401)${cause}`, apart);
  const cure = 'Run npm run logs -- --level warn, or give the x-request-id to the operator.';
  return bad('token', `The service responds ${status} to a valid token.`, cure);
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

/**
 * Examines whether the service signs with the webhook secret of the sandbox file. Only the receiver of a local
 * environment can show it.
 */
async function* examineWebhookSecret({ baseUrl }: Sandbox, partner: Partner, send: Send): AsyncGenerator<Finding> {
  if (partner.webhookSecret === '') {
    const remedy = `"${commandLine('rotate')}" creates one and stores it there.`;
    yield advice('secret', 'The sandbox file has no webhook secret: listen and scenario need one.', remedy);
    return;
  }
  const { events } = (await partner.call(GetWebhookSettings)).body;
  const inboxes = events.flatMap(({ endpoint }) =>
    endpoint.startsWith(`${baseUrl}/`) ? (/^\/receiver\/[\w.-]+/u.exec(endpoint.slice(baseUrl.length)) ?? []) : [],
  );
  const responses = await Promise.all(inboxes.map((path) => send(baseUrl, { method: 'GET', path })));
  const last = responses
    .flatMap((response) => Inbox.safeParse(jsonOf(response.text)).data?.received ?? [])
    .filter(({ company }) => company?.companyId === partner.companyId)
    .toSorted((a, b) => a.at.localeCompare(b.at))
    .at(-1);
  if (last === undefined) return;
  const signed = { raw: Buffer.from(last.bytes, 'base64'), headers: last.headers, at: Date.parse(last.at) };
  const cure =
    'The secret was rotated: write the new one into the file. If it is lost, POST /order/v1/webhook/rotate-secret creates another one.';
  yield signatureErrors(signed, partner.webhookSecret).length === 0
    ? good('secret', 'The service signs with the webhook secret in the sandbox file.')
    : bad('secret', 'The service does not sign with the webhook secret in the sandbox file.', cure);
}

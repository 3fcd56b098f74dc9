import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { send as sendOverHttp } from '@banking-order/partner-tools';
import { signatureHeaders } from '#shared/webhooks/dispatch/signature.ts';
import type { Environment, Forms, SeenRequests, Signed } from '../protocol.ts';
import type { Companies, Routes } from './call-service.ts';
import { callService, errorResponseOf, isOperation, openCompanies, readRoutes } from './call-service.ts';
import { readForms } from './forms.ts';
import type { ConsoleResponse } from './http.ts';
import { respondWithError, respondJson, redirect, checkSameOrigin } from './http.ts';
import type { PageFiles } from './page-files.ts';
import { buildPage } from './page-files.ts';
import type { RequestLog } from './requests.ts';

/** Returns the handler of a request's body, or undefined when the path does not belong to the console. */
export type ConsoleRoutes = (message: IncomingMessage) => ((body: Buffer) => Promise<ConsoleResponse>) | undefined;

type ConsoleOptions = {
  readonly sandboxFile: string;
  /** The address that one click registers for notifications. */
  readonly receiver: string | undefined;
  readonly requests: RequestLog;
  /** The log holds all requests of the environment, or those of the console. */
  readonly requestsOf: SeenRequests['of'];
};

const consolePath = /^\/console(?<below>\/[^?]*)?(?:\?(?<search>.*))?$/u;
const largestBody = 256 * 1024;

const AskedBody = z.strictObject({
  params: z.record(z.string(), z.string()).default({}),
  query: z.record(z.string(), z.string()).default({}),
  body: z.unknown().optional(),
});

type ConsoleContext = ConsoleOptions & {
  readonly companies: Companies;
  readonly routes: () => Routes;
  readonly forms: () => Forms;
  readonly page: () => Promise<PageFiles>;
};

/**
 * Creates the console: its page at `/console/`, and the API of the page below `/console/api/`. Credentials and secrets
 * stay on the server.
 *
 * | Request                                                     | Responds with                                    |
 * |-------------------------------------------------------------|--------------------------------------------------|
 * | `GET /console/api/environment`                              | addresses, companies, operations                 |
 * | `GET /console/api/forms`                                    | fields of the forms, from the OpenAPI document   |
 * | `GET /console/api/requests`                                 | the last requests, by company, text and status   |
 * | `POST /console/api/companies/{companyId}/{operationId}`     | the response of the service to the company       |
 * | `GET /console/api/companies/{companyId}/signatures/{id}`    | exact bytes and signatures of a delivery         |
 */
export function createConsole(options: ConsoleOptions): ConsoleRoutes {
  let routes: Routes | undefined;
  let forms: Forms | undefined;
  let page: Promise<PageFiles> | undefined;
  const context: ConsoleContext = {
    ...options,
    companies: openCompanies(options.sandboxFile, sendOverHttp),
    routes: () => (routes ??= readRoutes()),
    forms: () => (forms ??= readForms()),
    page: () => (page ??= buildPage()),
  };
  return (message) => {
    const found = consolePath.exec(message.url ?? '')?.groups;
    if (found === undefined) return undefined;
    return async (body) => {
      const reason = checkSameOrigin(message);
      if (reason !== undefined) return respondWithError(403, reason);
      if (body.length > largestBody) return respondWithError(413, 'The request is too large.');
      try {
        return await response(context, { method: message.method ?? '', ...found, body });
      } catch (error) {
        return errorResponseOf(error);
      }
    };
  };
}

type ConsoleRequest = {
  readonly method: string;
  readonly below?: string;
  readonly search?: string;
  readonly body: Buffer;
};

async function response(
  context: ConsoleContext,
  { method, below, search, body }: ConsoleRequest,
): Promise<ConsoleResponse> {
  if (below === undefined) return redirect('/console/');
  const [, root, ...rest] = below.split('/').map(decodeURIComponent);
  if (root !== 'api') {
    const file = method === 'GET' ? (await context.page())[below.slice(1)] : undefined;
    return file ?? respondWithError(404, 'The console has no such page.', 'Open /console/.');
  }
  const [area, companyId = '', operation = '', id = ''] = rest;
  if (method === 'GET' && area === 'environment') return respondJson(200, environmentOf(context));
  if (method === 'GET' && area === 'forms') return respondJson(200, context.forms());
  if (method === 'GET' && area === 'requests') return respondJson(200, seenRequests(context, search));
  if (method === 'GET' && area === 'companies' && operation === 'signatures')
    return signaturesOf(context, companyId, id);
  if (method === 'POST' && area === 'companies' && isOperation(operation)) {
    const asked = AskedBody.safeParse(JSON.parse(body.toString('utf8')));
    if (!asked.success) return respondWithError(400, z.prettifyError(asked.error));
    return callService(context, companyId, { operation, ...asked.data });
  }
  return respondWithError(404, 'The console has no such operation.');
}

/** Reads logged requests. The page asks by company; the log filters by the company's API client. */
function seenRequests({ companies, requests, requestsOf }: ConsoleContext, search = ''): SeenRequests {
  const { companyId, text = '', status = '', error = '', skip = '0' } = Object.fromEntries(new URLSearchParams(search));
  const company = companies.known().find((entry) => entry.companyId === companyId);
  const ofCompany = companyId !== undefined && { clientId: company?.clientId ?? '' };
  return { of: requestsOf, ...requests.seen({ ...ofCompany, text, status, error, skip: Number(skip) || 0 }) };
}

function environmentOf({ companies, receiver, routes }: ConsoleContext): Environment {
  return {
    baseUrl: companies.sandbox().baseUrl,
    ...(receiver !== undefined && { receiver }),
    companies: companies.known().map(({ companyId, name }) => ({ companyId, name })),
    routes: routes(),
  };
}

async function signaturesOf(context: ConsoleContext, companyId: string, id: string): Promise<ConsoleResponse> {
  const company = context.companies.known().find((entry) => entry.companyId === companyId);
  const read = await callService(context, companyId, { operation: 'getWebhookDelivery', params: { id } });
  if (company === undefined || read.status !== 200) return read;
  const signed: Signed | undefined = signDelivery(read.body.toString('utf8'), company.webhookSecret);
  return signed === undefined ? read : respondJson(200, signed);
}

const Delivery = z.object({
  body: z.object({
    webhookId: z.string(),
    payload: z.looseObject({}),
    attempts: z.array(z.object({ number: z.number(), at: z.string() })),
  }),
});

/**
 * Computes the exact body of a delivery and the signatures of its attempts, so that a partner can compare them with the
 * received request. Returns undefined when the response has no delivery.
 * @param text Response of `getWebhookDelivery`.
 */
function signDelivery(text: string, secret: string): Signed | undefined {
  const read = Delivery.safeParse(JSON.parse(text));
  if (!read.success) return undefined;
  const { webhookId: id, payload, attempts } = read.data.body;
  const body = JSON.stringify(payload);
  return {
    body,
    bytes: Buffer.byteLength(body),
    attempts: attempts.map(({ number, at }) => ({
      number,
      headers: signatureHeaders({ id, at, body, secrets: { current: secret } }),
    })),
  };
}

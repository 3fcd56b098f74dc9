import type { Exchange } from '../world/gateway.ts';
import type { Finding } from '../world/history.ts';

const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu;
/** Ids as the service writes them, and references as the bank knows them. */
const names = /[0-9a-f]{8}-[0-9a-f-]{27}|[0-9A-Za-z]{32}/gu;
/** Statuses of refusals, by what decisions and contracts allow any endpoint. */
const refusals: Readonly<Record<number, string>> = {
  400: 'INVALID_REQUEST',
  409: 'INVALID_REQUEST',
  413: 'INVALID_REQUEST',
  415: 'INVALID_REQUEST',
  422: 'INVALID_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN_ERROR',
  404: 'NOT_FOUND',
  429: 'TOO_MANY_REQUESTS',
  503: 'INTERNAL_ERROR',
  504: 'INTERNAL_ERROR',
};

/** Every response matches its contract, and contains no id of another company. */
export function answerChecks(finding: Finding) {
  const owners = new Map<string, string>();
  return {
    /** What has this id is this company's. */
    owns: (id: string, companyId: string): void => {
      if (!owners.has(id)) owners.set(id, companyId);
    },
    answered: ({ companyId, contract, sent, response }: Omit<Exchange, 'actor'>): void => {
      const { statusCode, body, headers } = response;
      const name = `${contract.operationId} ${statusCode}`;
      const report = (text: string): void => {
        finding('a response matches its contract', `${name}: ${text}: ${body.slice(0, 500)}`, idsIn(body));
      };
      const answer: unknown = JSON.parse(body);
      if (headers['x-request-id'] === undefined) report('the header x-request-id is missing');
      if (statusCode < 300) {
        const promised = contract.responses[statusCode];
        const parsed = promised?.safeParse(answer);
        if (parsed === undefined) report('the contract does not have this status');
        else if (!parsed.success)
          report(parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join());
      } else checkRefusal(contract.tool === true && statusCode >= 500, statusCode, answer, report);
      const asked = JSON.stringify([sent.params, sent.query, sent.body, sent.key, sent.headers]);
      for (const [id] of body.matchAll(uuids)) {
        const owner = owners.get(id);
        if (owner !== undefined && owner !== companyId && !asked.includes(id))
          finding('no response contains the id of another company', `${name} shows ${id} of ${owner} to ${companyId}`, [
            id,
          ]);
      }
    },
  };
}

function checkRefusal(isToolError: boolean, status: number, response: unknown, report: (text: string) => void): void {
  if (refusals[status] === undefined) {
    report('no endpoint has this status');
    return;
  }
  if (isToolError) {
    if (!Array.isArray(response)) report('the body of a tool’s 5xx is not a list of texts');
    return;
  }
  const { error, message, details } = response as { error?: unknown; message?: unknown; details?: unknown };
  if (error !== refusals[status] || typeof message !== 'string' || !Array.isArray(details))
    report('the body is not that of an error');
}

export function idsIn(text: string): string[] {
  return [...new Set([...text.matchAll(names)].map(([id]) => id))].slice(0, 20);
}

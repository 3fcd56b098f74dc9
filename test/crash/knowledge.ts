import type { Received, Sent } from '#test/simulation/crowd/world-types.ts';
import type { Journal } from './journal.ts';

/** A request that was answered for its key. */
export type Answered = {
  readonly companyId: string;
  readonly cycle: number;
  readonly sent: Sent;
  readonly text: string;
};

/** Operations whose answers name what must be there from then on. */
const makes = new Set(['createPayIn', 'createPayout', 'createSubscription']);

export type Knowledge = ReturnType<typeof openKnowledge>;

/** What the partners were answered, and must find true after every death. */
export function openKnowledge(journal: Journal) {
  const firsts = new Map<string, Answered>();
  const created = new Map<string, { readonly companyId: string; readonly operationId: string }>();
  const charged = new Map<string, number>();
  const refunded = new Map<string, number>();
  const secrets = new Map<string, string[]>();
  const addresses = new Map<string, string>();
  const codes = new Map<string, string>();
  const keep = (companyId: string, sent: Sent, { text }: Received): void => {
    const { contract, key, params, body } = sent;
    if (key === undefined || contract.idempotencyKey === 'none') return;
    const name = `${companyId} ${contract.operationId} ${key}`;
    const first = firsts.get(name);
    if (first === undefined) firsts.set(name, { companyId, cycle: journal.cycle(), sent, text });
    else if (first.text !== text && isSame(first.sent, params, body))
      journal.finding('a repeated key returns the first response', `${name}: ${first.text} then ${text}`, [key]);
  };
  return {
    /** First answers by company, operation and key. */
    firsts,
    /** What was answered to be there, by its id. */
    made: created,
    /** Subscriptions with charges, and pay-ins with refunds, with the cycle of the last one. */
    charged,
    refunded,
    secretsOf: (companyId: string): readonly string[] => secrets.get(companyId) ?? [],
    codeFor: (address: string): string | undefined => codes.get(address),
    learn: (companyId: string, sent: Sent, response: Received): void => {
      if (response.status >= 300) return;
      const { operationId } = sent.contract;
      const { id = '', validationId = '', code, secret } = response.body as Readonly<Record<string, string>>;
      const { params = {} } = sent;
      if (response.status === 201) keep(companyId, sent, response);
      if (makes.has(operationId)) created.set(id, { companyId, operationId });
      if (operationId === 'createScheduledPayment') charged.set(params['id'] ?? '', journal.cycle());
      if (operationId === 'refundPayIn') refunded.set(params['id'] ?? '', journal.cycle());
      if (operationId === 'rotateWebhookSecret' && secret !== undefined)
        secrets.set(companyId, [...(secrets.get(companyId) ?? []), secret]);
      if (operationId === 'createPixKey') addresses.set(validationId, (sent.body as { key?: string }).key ?? '');
      if (operationId === 'getKeyCode' && code !== undefined)
        codes.set(addresses.get(params['validationId'] ?? '') ?? '', code);
    },
  };
}

function isSame(first: Sent, params: Sent['params'], body: unknown): boolean {
  return JSON.stringify([first.params, first.body]) === JSON.stringify([params, body]);
}

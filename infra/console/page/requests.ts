import type { LocalDate } from '#shared/core/brasilia-time.ts';
import type { Resource } from '#functions/transitions.ts';
import { transitions } from '#functions/transitions.ts';
import type { TransitionTable } from '#shared/core/transition.ts';
import { triggersFrom } from '#shared/core/transition.ts';
import type { Ask, Environment, OperationId } from '../protocol.ts';

/** Requests to begin with: they are accepted as they are. */
export type Sample = {
  readonly name: string;
  readonly operation: Extract<OperationId, 'createSubscription' | 'createPayIn' | 'createPayout'>;
  readonly body: Readonly<Record<string, unknown>>;
};

/** @param webhookUrl where notifications of a subscription go */
export function samplesFor(of: {
  readonly accountId: string;
  readonly today: LocalDate;
  readonly webhookUrl: string;
  readonly newId: () => string;
}): Readonly<Record<'journey-2' | 'journey-3' | 'pay-in' | 'payout-pix' | 'payout-ted', Sample>> {
  const { accountId, today, webhookUrl, newId } = of;
  const document = { type: 'CPF', number: '52998224725' };
  const maria = { name: 'Maria Souza', document };
  const externalId = `console-${newId()}`;
  const amount = (value: string): object => ({ currency: 'BRL', value });
  const recurrence = { webhookUrl, frequencyType: 'MONTHLY', startDate: today, debtor: maria };
  return {
    'journey-2': {
      name: 'Journey 2: the code authorizes, and charges nothing',
      operation: 'createSubscription',
      body: { accountId, type: 'AUTHORIZATION_QRCODE', externalId, description: 'Monthly coffee', ...recurrence },
    },
    'journey-3': {
      name: 'Journey 3: the code also pays the first charge',
      operation: 'createSubscription',
      body: {
        ...{ accountId, type: 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT', externalId, description: 'Monthly coffee' },
        ...recurrence,
        initialCharge: { amount: amount('29.90') },
      },
    },
    'pay-in': {
      name: 'Pay-in with a dynamic QR code',
      operation: 'createPayIn',
      body: { externalId, accountId, amount: amount('12.50'), description: 'One coffee', payer: maria },
    },
    'payout-pix': {
      name: 'Payout by PIX, to a key',
      operation: 'createPayout',
      body: {
        ...{ externalId, accountId, paymentMethod: 'PIX', amount: amount('150.00'), description: 'Beans' },
        paymentData: { pixKey: 'maria@example.com' },
      },
    },
    'payout-ted': {
      name: 'Payout by TED, to an account',
      operation: 'createPayout',
      body: {
        ...{ externalId, accountId, paymentMethod: 'TED', amount: amount('150.00'), description: 'Beans' },
        receiver: maria,
        paymentData: {
          bankAccount: {
            bankNumber: '237',
            branchNumber: '1234',
            accountNumber: '00012345',
            accountType: 'CHECKING_ACCOUNT',
          },
        },
      },
    },
  };
}

/** The tool that stands for the bank's callbacks about a resource; refunds end by the transitions of their pay-in. */
const tools = {
  SUBSCRIPTION: 'forceSubscriptionStatus',
  SCHEDULED_PAYMENT: 'forceScheduledPaymentStatus',
  PAY_IN: 'forceOrderStatus',
  PAYOUT: 'forceOrderStatus',
  REFUND: undefined,
  KEY_VALIDATION: undefined,
} as const satisfies Readonly<Record<Resource, OperationId | undefined>>;

type Transition = { readonly trigger: string; readonly asked: Ask };

/** What the bank may do to a resource in its status, as the tables of transitions say: each with the request for it. */
export function transitionsOf(resource: Resource, status: string, id: string): readonly Transition[] {
  const operation: OperationId | undefined = tools[resource];
  if (operation === undefined) return [];
  return triggersFrom<TransitionTable>(transitions[resource], status).map((trigger) => ({
    trigger,
    asked: { operation, body: { id, status: trigger } },
  }));
}

/** A request as a line for the shell; the token is a variable, for no token is ever here. */
export function curlOf({ baseUrl, routes }: Pick<Environment, 'baseUrl' | 'routes'>, asked: Ask): string {
  const { operation, params = {}, query = {}, body } = asked;
  const { method, path, takesKey } = routes[operation];
  const place = path.replaceAll(/\{([^}]+)\}/gu, (_whole, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(query).toString();
  const url = `${baseUrl}${place}${search === '' ? '' : `?${search}`}`;
  return [
    `curl -s${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    `-H "authorization: Bearer $TOKEN"`,
    ...(takesKey ? ['-H "idempotency-key: $(uuidgen)"'] : []),
    ...(body === undefined ? [] : [`-H 'content-type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

import type * as z from 'zod';
import type { Facts } from '#shared/bank/about.ts';
import { requireAbout } from '#shared/bank/about.ts';
import type { BankRequest } from '#shared/bank/calls/bank-client.ts';
import { noCancellation, outcomeOf, understood, unlessNotConnected } from '#shared/bank/calls/outcomes.ts';
import type { Connected } from '#shared/bank/connected.ts';
import type { CallContext, CommandOutcome, FoundCommand, RefusedCommand } from '#shared/bank/outcome.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import type { PaymentOrder, PaymentState, PreparedPayment, UncheckedPayouts } from '#shared/bank/ports/payouts.ts';
import { firstOf } from '#shared/core/visible.ts';
import { accountKeyOf } from './connecting.ts';
import { lookUp } from './directory.ts';
import { reais } from './json.ts';
import { accountLists } from './lists.ts';
import { Page, SentPixBody, TedBody } from './shapes.ts';
import { pixFacts, pixState, tedFacts, tedState } from './states.ts';

/** `account_type` of a receiver. A TED knows no `salary_account`. */
const accountTypes: Readonly<Record<string, string>> = {
  CHECKING_ACCOUNT: 'checking_account',
  SAVINGS_ACCOUNT: 'saving_account',
  PAYMENT_ACCOUNT: 'payment_account',
  WAGE_ACCOUNT: 'salary_account',
};
/** Longest name of a receiver. */
const nameLengths = { pix: 150, ted: 50 } as const;

/** A way of paying: its paths below the account, its answers, and what they name. */
type Way<Body> = {
  readonly command: 'pix_transfer' | 'ted';
  readonly list: string;
  readonly shape: z.ZodType<Body>;
  readonly factsOf: (body: Body) => Facts;
  readonly stateOf: (body: Body) => PaymentState;
};

/**
 * Payouts by Pix and TED. `request_control_key` is our reference. The pages do not say how a repetition of it is
 * answered, so a look-up by it goes before every repetition.
 */
export function qitechPayouts(connected: Connected): UncheckedPayouts {
  const { client } = connected;
  const pix = ({ endToEndId }: PaymentOrder): Way<SentPixBody> => ({
    command: 'pix_transfer',
    list: accountLists.sentPix,
    shape: SentPixBody,
    factsOf: pixFacts,
    stateOf: (body) => pixState(body, client, endToEndId),
  });
  const ted: Way<TedBody> = {
    command: 'ted',
    list: accountLists.sentTed,
    shape: TedBody,
    factsOf: tedFacts,
    stateOf: tedState,
  };
  /** The state in an answer, which must be about the order. */
  const stateBy =
    <Body>({ factsOf, stateOf }: Way<Body>, { reference, amount, endToEndId, payer }: PaymentOrder) =>
    (body: Body): PaymentState => {
      const asked = {
        request_control_key: reference,
        account_key: accountKeyOf(connected, payer),
        transfer_amount: amount,
        end_to_end_id: endToEndId,
      };
      requireAbout(client, asked, factsOf(body));
      return stateOf(body);
    };
  const findBy = async <Body>(way: Way<Body>, order: PaymentOrder, { signal }: CallContext) => {
    const { reference, payer } = order;
    const query = `${way.list}&request_control_key=${encodeURIComponent(reference)}`;
    const path = `/account/${accountKeyOf(connected, payer)}/${query}`;
    const callOutcome = await client.question({ method: 'GET', path, signal });
    // Only a list without it shows that the bank does not have the payment.
    if (callOutcome.is === 'MISSING' || callOutcome.is === 'REFUSED') return { outcome: 'UNKNOWN' } as const;
    const found = outcomeOf(client, callOutcome, Page, ({ data }) => {
      const states = data.map((entry) => understood(client, entry, way.shape, stateBy(way, order)));
      if (states.length > 1 || states.some((state) => state === undefined))
        throw new Error('The list does not name one payment.');
      return { state: states[0] };
    });
    if (found.outcome !== 'DONE') return found;
    const { state } = found.state;
    return state === undefined ? ({ outcome: 'NEVER_SEEN' } as const) : ({ outcome: 'DONE', state } as const);
  };
  const submitBy = async <Body>(way: Way<Body>, order: PaymentOrder, { signal }: CallContext) => {
    const request = requestOf(connected, way.command, order);
    if ('outcome' in request) return request;
    const callOutcome = await client.command({ ...request, signal });
    return outcomeOf(client, callOutcome, way.shape, stateBy(way, order));
  };
  const find = async (order: PaymentOrder, context: CallContext): Promise<FoundCommand<PaymentState>> =>
    isTed(order) ? findBy(ted, order, context) : findBy(pix(order), order, context);
  const submit = async (order: PaymentOrder, context: CallContext): Promise<CommandOutcome<PaymentState>> => {
    if (isTed(order)) return submitBy(ted, order, context);
    const sent = await submitBy(pix(order), order, context);
    if (order.initiation === 'KEY' || sent.outcome !== 'DONE' || sent.state.status !== 'ACCEPTED') return sent;
    // Only a look-up has the end-to-end id of a Pix to an account.
    const found = await find(order, context);
    return found.outcome === 'DONE' ? found : sent;
  };
  return {
    prepare: (order, context) => prepare(connected, order, context),
    send: {
      submit: (order, context) => unlessNotConnected(() => submit(order, context)),
      find: (order, context) => unlessNotConnected(() => find(order, context)),
    },
    cancel: noCancellation(find),
  };
}

/** Whether it is a TED: only a TED has a control number, since before it is sent. */
function isTed({ controlNumber }: PaymentOrder): boolean {
  return controlNumber !== undefined;
}

/** Looks up the key of a payment, for the end-to-end id that the payment needs. @throws BankUnavailable */
async function prepare(
  connected: Connected,
  { initiation, payer, receiver: { pix: key, document } }: Omit<PaymentOrder, 'endToEndId'>,
  context: CallContext,
): Promise<PreparedPayment> {
  if (initiation !== 'KEY' || key === undefined) return {};
  const owner = await lookUp(connected, { key, accountId: payer.id, receiver: document }, context);
  if (owner?.isReceiver !== true) throw new BankUnavailable('The key has another owner now.');
  const { endToEndId } = owner;
  return endToEndId === undefined ? {} : { endToEndId };
}

/** Returns the request of a payment, the same on every repetition; a refusal for an account that it cannot name. */
function requestOf(
  connected: Connected,
  command: Way<unknown>['command'],
  order: PaymentOrder,
): Omit<BankRequest, 'signal'> | RefusedCommand {
  const { reference, amount, payer, receiver, description, endToEndId } = order;
  const common = { request_control_key: reference, transaction_amount: reais(amount) };
  const message = description === '' ? {} : { pix_message: firstOf(description, 140) };
  const path = `/account/${accountKeyOf(connected, payer)}/${command}`;
  if (order.initiation === 'KEY') {
    const byKey = { pix_transfer_type: 'key', target_pix_key: receiver.pix?.key, end_to_end_id: endToEndId };
    return { method: 'POST', path, body: { ...common, ...byKey, ...message } };
  }
  const target = targetOf(receiver, isTed(order) ? nameLengths.ted : nameLengths.pix);
  if (target === undefined)
    return { outcome: 'REFUSED', code: 'AC03', reason: 'The bank takes only an account number with its check digit.' };
  if (isTed(order)) return { method: 'POST', path, body: { ...common, target_account: target } };
  return { method: 'POST', path, body: { ...common, pix_transfer_type: 'manual', target_account: target, ...message } };
}

/**
 * Returns the account of a receiver in the bank's fields: branch without check digit, number and check digit apart.
 * Undefined for a number that is a check digit alone.
 */
function targetOf({ name, document, bank }: PaymentOrder['receiver'], nameLength: number): object | undefined {
  const { ispb, branch = '', account = '', accountType = '' } = bank ?? {};
  const number = account.replaceAll(/[.-]/gu, '').toUpperCase();
  if (number.length < 2) return undefined;
  return {
    ispb,
    account_branch: (branch.split('-')[0] ?? '').slice(0, 4).padStart(4, '0'),
    account_number: number.slice(0, -1),
    account_digit: number.slice(-1),
    account_type: accountTypes[accountType],
    owner_name: firstOf(name, nameLength),
    owner_document_number: document.number,
  };
}

import type * as z from 'zod';
import { pick } from '#shared/core/pick.ts';
import type { Connected } from '../connected.ts';
import type { ConnectedAccount } from '../connection.ts';
import type { CallContext, CommandOutcome, FoundCommand } from '../outcome.ts';
import { BankUnavailable } from '../outcome.ts';
import type { PaymentOrder, PaymentState, UncheckedPayouts } from '../ports/payouts.ts';
import type { AccountAtBank } from '../ports/shapes.ts';
import type { CallOutcome } from './bank-client.ts';
import type { Teller } from './enumeration.ts';
import { tell, UnknownValue } from './enumeration.ts';

/** The company's account at its bank. @throws NotConnected */
export function accountAt({ connection }: Connected, { id }: Pick<AccountAtBank, 'id'>): ConnectedAccount {
  const account = connection.accounts[id];
  if (account === undefined) throw new NotConnected();
  return account;
}

/** Error of an account that the connection lacks until an operator adds it: not a refusal. */
class NotConnected extends Error {
  override readonly name = 'NotConnected';
}

const unknown = { outcome: 'UNKNOWN' } as const;

/** The outcome of a command from the judged response. A body of another shape, or with unknown values, is UNKNOWN. */
export function outcomeOf<Body, State>(
  teller: Teller,
  callOutcome: CallOutcome,
  shape: z.ZodType<Body>,
  stateOf: (body: Body) => State,
): CommandOutcome<State> {
  switch (callOutcome.is) {
    case 'OK': {
      const state = understood(teller, callOutcome.body, shape, stateOf);
      return state === undefined ? unknown : { outcome: 'DONE', state };
    }
    case 'REFUSED':
      return { outcome: 'REFUSED', code: callOutcome.code, reason: callOutcome.reason };
    case 'UNKNOWN':
      return { outcome: 'UNKNOWN', ...pick(callOutcome, 'retryAfterSeconds') };
    case 'NOT_NOW':
      return { outcome: 'NOT_NOW', ...pick(callOutcome, 'cause', 'retryAfterSeconds') };
  }
}

/** Returns the result of a lookup from its judged response. A lookup that the bank refuses is `UNKNOWN`. */
export function foundOf<Body, State>(
  teller: Teller,
  callOutcome: CallOutcome | { readonly is: 'MISSING' },
  shape: z.ZodType<Body>,
  stateOf: (body: Body) => State,
): FoundCommand<State> {
  if (callOutcome.is === 'MISSING') return { outcome: 'NEVER_SEEN' };
  if (callOutcome.is === 'REFUSED') return unknown;
  return outcomeOf(teller, callOutcome, shape, stateOf);
}

/** Returns the state of a body; undefined when its shape is wrong or `stateOf` throws. An unknown value is told. */
export function understood<Body, State>(
  teller: Teller,
  body: unknown,
  shape: z.ZodType<Body>,
  stateOf: (body: Body) => State,
): State | undefined {
  const { data, success } = shape.safeParse(body);
  if (!success) return undefined;
  try {
    return stateOf(data);
  } catch (error) {
    if (error instanceof UnknownValue) tell(teller, error);
    return undefined;
  }
}

/** Submits a command; `NOT_NOW`, with nothing sent, when the connection does not name the account. */
export async function unlessNotConnected<Outcome>(
  submit: () => Promise<Outcome>,
): Promise<Outcome | Extract<CommandOutcome<unknown>, { readonly outcome: 'NOT_NOW' }>> {
  try {
    return await submit();
  } catch (error) {
    if (!(error instanceof NotConnected)) throw error;
    return { outcome: 'NOT_NOW', cause: 'The bank connection does not name the account.' };
  }
}

/** Returns the cancellation of payments at a bank that stops none. @param find looks up the payment itself */
export function noCancellation(
  find: (order: PaymentOrder, context: CallContext) => Promise<FoundCommand<PaymentState>>,
): UncheckedPayouts['cancel'] {
  return {
    submit: (): Promise<CommandOutcome<PaymentState>> =>
      Promise.resolve({ outcome: 'REFUSED', reason: 'The bank stops no payment.' }),
    find: async (order, context) => {
      const found = await find(order, context);
      const isOpen = found.outcome === 'DONE' && found.state.status === 'ACCEPTED';
      return isOpen ? { outcome: 'NEVER_SEEN' } : found;
    },
  };
}

/** Returns the error of a question that has no usable response. */
export function unavailable(callOutcome: Exclude<CallOutcome, { readonly is: 'OK' }>): BankUnavailable {
  if (callOutcome.is === 'REFUSED') return new BankUnavailable(`The bank rejected the query: ${callOutcome.code}.`);
  const cause = callOutcome.is === 'NOT_NOW' ? callOutcome.cause : 'The bank response is missing or unreadable.';
  return new BankUnavailable(cause, callOutcome.retryAfterSeconds);
}

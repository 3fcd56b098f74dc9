import type { Fault, FaultResponses, Faults } from './faults.ts';
import { responseBefore, withNewValue, withOtherIds } from './faults.ts';
import { Refusal } from './refusal.ts';
import type { BankResponse } from './refusal.ts';

/** Result for the caller: a response, a response that is not JSON, a closed connection, or no response. */
export type Reply =
  | { readonly is: 'ANSWER'; readonly response: BankResponse; readonly delayMs: number }
  | { readonly is: 'GARBLED'; readonly response: BankResponse }
  | { readonly is: 'LOST' }
  | { readonly is: 'NEVER' };

/** A bank at its door: its faults, its queue of callbacks, and what it says in a fault. */
type Door = {
  readonly faults: Faults;
  readonly callbacks: { readonly wake: () => void };
  readonly responses: FaultResponses;
};

/**
 * Carries out a request, and applies the injected fault that matches it.
 *
 * @param carryOut Takes the age of the state that its reads show, in milliseconds.
 */
export async function replyWithFaults(
  { faults, callbacks, responses }: Door,
  { method, path }: { readonly method: string; readonly path: string },
  carryOut: (lagMs: number) => Promise<BankResponse>,
): Promise<Reply> {
  const { fault, lagMs } = faults.meet(method, path);
  if (fault?.fault === 'LOSE_REQUEST') return { is: 'LOST' };
  const instead = fault && responseBefore(fault, responses);
  if (instead !== undefined) return { is: 'ANSWER', response: instead, delayMs: 0 };
  const done = await respond(() => carryOut(lagMs));
  callbacks.wake();
  return fault === undefined ? { is: 'ANSWER', response: done, delayMs: 0 } : spoil(done, fault, responses);
}

async function respond(act: () => Promise<BankResponse>): Promise<BankResponse> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Refusal) return error.response;
    throw error;
  }
}

/** Applies an injected fault to the response of a request that was carried out. */
function spoil(response: BankResponse, fault: Fault, { serverError }: FaultResponses): Reply {
  const answer = (changed: BankResponse, delayMs = 0): Reply => ({ is: 'ANSWER', response: changed, delayMs });
  switch (fault.fault) {
    case 'LOSE_ANSWER':
      return { is: 'LOST' };
    case 'ERROR_AFTER':
      return answer(serverError(fault.status));
    case 'GARBLE':
      return { is: 'GARBLED', response };
    case 'NEW_VALUE':
      return answer({ ...response, body: withNewValue(response.body, fault.id) });
    case 'OTHER_THING':
      return answer({ ...response, body: withOtherIds(response.body, fault.id) });
    case 'HANG':
      return { is: 'NEVER' };
    case 'DELAY':
      return answer(response, fault.ms);
    case 'LOSE_REQUEST':
    case 'ERROR_BEFORE':
    case 'TOO_MANY':
    case 'FORBID':
    case 'UNAUTHORIZED':
    case 'LAG':
      return answer(response);
  }
}

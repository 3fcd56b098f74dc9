/**
 * What subscriptions, their first charges and the money of two companies must do, as plain data: one function from a
 * state and an action to the next state and the status of the answer. Written from the specification, not from the
 * code.
 */

export type Action =
  | {
      readonly do: 'create';
      readonly by: Company;
      readonly name: Name;
      readonly journey: 2 | 3;
      readonly key?: string;
      /**
       * The bank leaves it without an answer the first time. Of journey 2 alone: the two commands of journey 3 are two
       * silences.
       */
      readonly silent?: true;
    }
  | { readonly do: 'cancel'; readonly by: Company; readonly name: Name; readonly key: string }
  | { readonly do: 'move'; readonly by: Company; readonly owner: Company; readonly name: Name; readonly to: string }
  | { readonly do: 'charge'; readonly by: Company; readonly owner: Company; readonly name: Name; readonly to: string }
  | { readonly do: 'cancelCharge'; readonly by: Company; readonly owner: Company; readonly name: Name }
  /** `fails`: the bank refuses it as soon as it is handed over. */
  | { readonly do: 'refund'; readonly by: Company; readonly name: Name; readonly key: string; readonly fails?: true }
  /** The second half of such a refund: others may come in between. */
  | { readonly do: 'refundFails'; readonly by: Company; readonly name: Name; readonly key: string }
  | { readonly do: 'spend'; readonly by: Company };
export type Company = 'A' | 'B';
/** The external id of a subscription; two companies may use the same. */
export type Name = 'x' | 'y' | 'z';

type Subscription = {
  readonly status: string;
  readonly history: readonly string[];
  /** Statuses of the cancellation requests, in the order of the alphabet. */
  readonly requests: readonly string[];
};
type Charge = { readonly status: string; readonly refunds: readonly string[] };
export type State = {
  readonly subscriptions: Readonly<Record<string, Subscription>>;
  readonly charges: Readonly<Record<string, Charge>>;
  readonly balances: Readonly<Record<Company, { readonly available: number; readonly reserved: number }>>;
  /** Events that were promised to each company, in the order of the alphabet. */
  readonly notified: Readonly<Record<Company, readonly string[]>>;
  /** Commands that the bank has left without an answer. */
  readonly silences: readonly string[];
  /** What each key was used for. */
  readonly keys: Readonly<Record<string, string>>;
};
type Outcome = { readonly state: State; readonly status: number };

/** Centavos of every first charge. */
const price = 1990;

export const empty: State = {
  subscriptions: {},
  charges: {},
  balances: { A: { available: 0, reserved: 0 }, B: { available: 0, reserved: 0 } },
  notified: { A: [], B: [] },
  silences: [],
  keys: {},
};

/** Section 3 for the tool of subscriptions, and what it does to the request it answers. */
const subscriptionMoves: Readonly<Record<string, { to: string; responses?: string; event: string }>> = {
  'PENDING_AUTHORIZATION ACCEPTED': { to: 'ACCEPTED', event: 'SUBSCRIPTION.ACCEPTED' },
  'PENDING_AUTHORIZATION REJECTED': { to: 'REJECTED', event: 'SUBSCRIPTION.REJECTED' },
  'ACCEPTED CANCELED': { to: 'CANCELED', responses: 'ACCEPTED', event: 'SUBSCRIPTION.CANCELED' },
  'ACCEPTED CANCELLATION_REJECTED': {
    to: 'ACCEPTED',
    responses: 'REJECTED',
    event: 'SUBSCRIPTION.CANCELLATION.REJECTED',
  },
};
const chargeMoves = new Set(['PENDING PAID', 'PENDING CANCELED', 'PENDING EXPIRED', 'PENDING ERROR', 'PAID REFUNDED']);

export function step(state: State, action: Action): Outcome {
  switch (action.do) {
    case 'create':
      return create(state, action);
    case 'cancel':
      return cancel(state, action);
    case 'move':
      return move(state, action);
    case 'charge':
      return charge(state, action);
    case 'cancelCharge':
      return cancelCharge(state, action);
    case 'refund':
      return refund(state, action);
    case 'refundFails':
      return { status: 201, state: refundFails(state, action) };
    case 'spend': {
      const { available } = state.balances[action.by];
      return available < price ? refused(state, 409) : { status: 201, state: paid(state, action.by, -price, price) };
    }
  }
}

const refused = (state: State, status: number): Outcome => ({ state, status });
const notify = (state: State, company: Company, event: string): State => ({
  ...state,
  notified: { ...state.notified, [company]: [...state.notified[company], event].toSorted() },
});
function paid(state: State, company: Company, available: number, reserved: number): State {
  const before = state.balances[company];
  const after = { available: before.available + available, reserved: before.reserved + reserved };
  return { ...state, balances: { ...state.balances, [company]: after } };
}

function create(state: State, { by, name, journey, key, silent }: Extract<Action, { do: 'create' }>): Outcome {
  const id = `${by} ${name}`;
  const asked = `${id} ${journey} ${silent ?? false}`;
  const claim = `create ${by} ${key ?? ''}`;
  const used = key === undefined ? undefined : state.keys[claim];
  if (used !== undefined) return refused(state, used === asked ? 201 : 422);
  if (state.subscriptions[id] !== undefined) return refused(state, 409);
  const silence = `${claim} ${asked}`;
  if (silent && !state.silences.includes(silence))
    return refused({ ...state, silences: [...state.silences, silence] }, 503);
  const waiting = { status: 'PENDING_AUTHORIZATION', history: ['INITIAL', 'PENDING_AUTHORIZATION'], requests: [] };
  return {
    status: 201,
    state: {
      ...state,
      subscriptions: { ...state.subscriptions, [id]: waiting },
      charges: journey === 3 ? { ...state.charges, [id]: { status: 'PENDING', refunds: [] } } : state.charges,
      keys: key === undefined ? state.keys : { ...state.keys, [claim]: asked },
    },
  };
}

function cancel(state: State, { by, name, key }: Extract<Action, { do: 'cancel' }>): Outcome {
  const id = `${by} ${name}`;
  const subscription = state.subscriptions[id];
  if (subscription === undefined) return refused(state, 404);
  const claim = `cancel ${id} ${key}`;
  if (state.keys[claim] !== undefined) return refused(state, 201);
  if (subscription.status === 'PENDING_AUTHORIZATION') return withdraw(state, { by, name, claim });
  if (subscription.status !== 'ACCEPTED' || subscription.requests.includes('PENDING')) return refused(state, 409);
  const after = { ...subscription, requests: [...subscription.requests, 'PENDING'].toSorted() };
  const keys = { ...state.keys, [claim]: 'used' };
  return { status: 201, state: { ...state, keys, subscriptions: { ...state.subscriptions, [id]: after } } };
}

/** It is not authorized: it ends immediately, with an unpaid first charge. */
function withdraw(
  state: State,
  { by, name, claim }: { readonly by: Company; readonly name: Name; readonly claim: string },
): Outcome {
  const id = `${by} ${name}`;
  const history = ['INITIAL', 'PENDING_AUTHORIZATION', 'CANCELED'];
  const after = { status: 'CANCELED', history, requests: ['ACCEPTED'] };
  const canceledState = {
    ...state,
    subscriptions: { ...state.subscriptions, [id]: after },
    keys: { ...state.keys, [claim]: 'used' },
  };
  const withEvent = notify(canceledState, by, 'SUBSCRIPTION.CANCELED');
  if (state.charges[id]?.status !== 'PENDING') return { status: 201, state: withEvent };
  return { status: 201, state: charge(withEvent, { do: 'charge', by, owner: by, name, to: 'CANCELED' }).state };
}

function move(state: State, { by, owner, name, to }: Extract<Action, { do: 'move' }>): Outcome {
  const id = `${owner} ${name}`;
  const subscription = state.subscriptions[id];
  if (by !== owner || subscription === undefined) return refused(state, 404);
  const row = subscriptionMoves[`${subscription.status} ${to}`];
  if (row === undefined) return refused(state, 409);
  const closed = subscription.requests.filter((status) => status !== 'PENDING');
  const after = {
    status: row.to,
    history: row.to === subscription.status ? subscription.history : [...subscription.history, row.to],
    requests: row.responses === undefined ? subscription.requests : [...closed, row.responses].toSorted(),
  };
  const moved = { ...state, subscriptions: { ...state.subscriptions, [id]: after } };
  return { status: 200, state: notify(moved, owner, row.event) };
}

function charge(state: State, { by, owner, name, to }: Extract<Action, { do: 'charge' }>): Outcome {
  const id = `${owner} ${name}`;
  const before = state.charges[id];
  if (by !== owner || before === undefined) return refused(state, 404);
  if (!chargeMoves.has(`${before.status} ${to}`)) return refused(state, 409);
  const reserved = before.refunds.includes('PENDING');
  if (to === 'REFUNDED' && !reserved && state.balances[owner].available < price) return refused(state, 409);
  const others = before.refunds.filter((status) => status !== 'PENDING');
  const refunds = to === 'REFUNDED' ? [...others, 'SETTLED'].toSorted() : before.refunds;
  const moved = notify(
    { ...state, charges: { ...state.charges, [id]: { status: to, refunds } } },
    owner,
    `ORDER-PAYIN.${to}`,
  );
  if (to === 'PAID') return { status: 200, state: paid(moved, owner, price, 0) };
  if (to !== 'REFUNDED') return { status: 200, state: moved };
  return { status: 200, state: reserved ? paid(moved, owner, 0, -price) : paid(moved, owner, -price, 0) };
}

/** By the partner; of a canceled one the record again, without a notification. */
function cancelCharge(state: State, { by, owner, name }: Extract<Action, { do: 'cancelCharge' }>): Outcome {
  const before = state.charges[`${owner} ${name}`];
  if (by !== owner || before === undefined) return refused(state, 404);
  if (before.status === 'CANCELED') return refused(state, 200);
  const canceled = charge(state, { do: 'charge', by, owner, name, to: 'CANCELED' });
  return canceled.status === 200 ? { ...canceled, state: endWaiting(canceled.state, owner, name) } : canceled;
}

/** A subscription that waits for the charge that its partner canceled is canceled with it. */
function endWaiting(state: State, owner: Company, name: Name): State {
  const id = `${owner} ${name}`;
  const waiting = state.subscriptions[id];
  if (waiting?.status !== 'PENDING_AUTHORIZATION') return state;
  const canceled = { ...waiting, status: 'CANCELED', history: [...waiting.history, 'CANCELED'] };
  return notify(
    { ...state, subscriptions: { ...state.subscriptions, [id]: canceled } },
    owner,
    'SUBSCRIPTION.CANCELED',
  );
}

function refund(state: State, { by, name, key, fails }: Extract<Action, { do: 'refund' }>): Outcome {
  const id = `${by} ${name}`;
  const before = state.charges[id];
  if (before === undefined) return refused(state, 404);
  const claim = `refund ${id} ${key}`;
  const used = state.keys[claim];
  if (used !== undefined) return refused(state, used.startsWith('fail') === (fails ?? false) ? 201 : 422);
  const open = before.refunds.some((status) => status !== 'FAILED');
  if (before.status !== 'PAID' || open) return refused(state, 409);
  if (state.balances[by].available < price) return refused(state, 409);
  const charges = { ...state.charges, [id]: { ...before, refunds: [...before.refunds, 'PENDING'].toSorted() } };
  const keys = { ...state.keys, [claim]: fails ? 'failing' : 'used' };
  return { status: 201, state: paid({ ...state, charges, keys }, by, -price, price) };
}

function refundFails(state: State, { by, name, key }: Extract<Action, { do: 'refundFails' }>): State {
  const id = `${by} ${name}`;
  const claim = `refund ${id} ${key}`;
  const before = state.charges[id];
  if (before === undefined || state.keys[claim] !== 'failing') return state;
  const failedState = { ...state, keys: { ...state.keys, [claim]: 'failed' } };
  // Settled meanwhile, it stays so.
  if (!before.refunds.includes('PENDING')) return failedState;
  const refunds = [...before.refunds.filter((status) => status !== 'PENDING'), 'FAILED'].toSorted();
  const charges = { ...state.charges, [id]: { ...before, refunds } };
  return notify(paid({ ...failedState, charges }, by, price, -price), by, 'ORDER-PAYIN.REFUND_FAILED');
}

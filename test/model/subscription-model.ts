/**
 * What subscriptions, their first charges and the money of two companies must do, as plain data: one function from a
 * state and an action to the next state and the status of the answer. Written from the specification, not from the code.
 */

export type Action =
  | { readonly do: 'create'; readonly by: Company; readonly name: Name; readonly journey: 2 | 3; readonly key?: string }
  | { readonly do: 'cancel'; readonly by: Company; readonly name: Name; readonly key: string }
  | { readonly do: 'move'; readonly by: Company; readonly of: Company; readonly name: Name; readonly to: string }
  | { readonly do: 'charge'; readonly by: Company; readonly of: Company; readonly name: Name; readonly to: string }
  | { readonly do: 'refund'; readonly by: Company; readonly name: Name; readonly key: string }
  | { readonly do: 'spend'; readonly by: Company };
export type Company = 'A' | 'B';
/** The external id of a subscription; two companies may use the same. */
export type Name = 'x' | 'y' | 'z';

export type Subscription = {
  readonly status: string;
  readonly history: readonly string[];
  /** Statuses of the cancellation requests, in the order of the alphabet. */
  readonly requests: readonly string[];
};
export type Charge = { readonly status: string; readonly refunds: readonly string[] };
export type State = {
  readonly subscriptions: Readonly<Record<string, Subscription>>;
  readonly charges: Readonly<Record<string, Charge>>;
  readonly balances: Readonly<Record<Company, { readonly available: number; readonly reserved: number }>>;
  /** Events that were promised to each company, in the order of the alphabet. */
  readonly told: Readonly<Record<Company, readonly string[]>>;
  /** What each key was used for. */
  readonly keys: Readonly<Record<string, string>>;
};
export type Outcome = { readonly state: State; readonly status: number };

/** Centavos of every first charge. */
export const PRICE = 1990;

export const EMPTY: State = {
  subscriptions: {},
  charges: {},
  balances: { A: { available: 0, reserved: 0 }, B: { available: 0, reserved: 0 } },
  told: { A: [], B: [] },
  keys: {},
};

/** Section 3 for the tool of subscriptions, and what it does to the request it answers. */
const SUBSCRIPTION_MOVES: Readonly<Record<string, { to: string; answers?: string; event: string }>> = {
  'PENDING_AUTHORIZATION ACCEPTED': { to: 'ACCEPTED', event: 'SUBSCRIPTION.ACCEPTED' },
  'PENDING_AUTHORIZATION REJECTED': { to: 'REJECTED', event: 'SUBSCRIPTION.REJECTED' },
  'ACCEPTED CANCELED': { to: 'CANCELED', answers: 'ACCEPTED', event: 'SUBSCRIPTION.CANCELED' },
  'ACCEPTED CANCELLATION_REJECTED': {
    to: 'ACCEPTED',
    answers: 'REJECTED',
    event: 'SUBSCRIPTION.CANCELLATION.REJECTED',
  },
};
const CHARGE_MOVES = new Set(['PENDING PAID', 'PENDING CANCELED', 'PENDING EXPIRED', 'PENDING ERROR', 'PAID REFUNDED']);

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
    case 'refund':
      return refund(state, action);
    case 'spend': {
      const { available } = state.balances[action.by];
      return available < PRICE ? refused(state, 409) : { status: 201, state: paid(state, action.by, -PRICE, PRICE) };
    }
  }
}

const refused = (state: State, status: number): Outcome => ({ state, status });
const told = (state: State, who: Company, event: string): State => ({
  ...state,
  told: { ...state.told, [who]: [...state.told[who], event].toSorted() },
});
function paid(state: State, who: Company, available: number, reserved: number): State {
  const before = state.balances[who];
  const after = { available: before.available + available, reserved: before.reserved + reserved };
  return { ...state, balances: { ...state.balances, [who]: after } };
}

function create(state: State, { by, name, journey, key }: Extract<Action, { do: 'create' }>): Outcome {
  const id = `${by} ${name}`;
  const claim = `create ${by} ${key ?? ''}`;
  const used = key === undefined ? undefined : state.keys[claim];
  if (used !== undefined) return refused(state, used === `${id} ${journey}` ? 201 : 422);
  if (state.subscriptions[id] !== undefined) return refused(state, 409);
  const waiting = { status: 'PENDING_AUTHORIZATION', history: ['PENDING_AUTHORIZATION'], requests: [] };
  return {
    status: 201,
    state: {
      ...state,
      subscriptions: { ...state.subscriptions, [id]: waiting },
      charges: journey === 3 ? { ...state.charges, [id]: { status: 'PENDING', refunds: [] } } : state.charges,
      keys: key === undefined ? state.keys : { ...state.keys, [claim]: `${id} ${journey}` },
    },
  };
}

function cancel(state: State, { by, name, key }: Extract<Action, { do: 'cancel' }>): Outcome {
  const id = `${by} ${name}`;
  const subscription = state.subscriptions[id];
  if (subscription === undefined) return refused(state, 404);
  const claim = `cancel ${id} ${key}`;
  if (state.keys[claim] !== undefined) return refused(state, 201);
  if (subscription.status !== 'ACCEPTED' || subscription.requests.includes('PENDING')) return refused(state, 409);
  const after = { ...subscription, requests: [...subscription.requests, 'PENDING'].toSorted() };
  const keys = { ...state.keys, [claim]: 'used' };
  return { status: 201, state: { ...state, keys, subscriptions: { ...state.subscriptions, [id]: after } } };
}

function move(state: State, { by, of, name, to }: Extract<Action, { do: 'move' }>): Outcome {
  const id = `${of} ${name}`;
  const subscription = state.subscriptions[id];
  if (by !== of || subscription === undefined) return refused(state, 404);
  const row = SUBSCRIPTION_MOVES[`${subscription.status} ${to}`];
  if (row === undefined) return refused(state, 409);
  const closed = subscription.requests.filter((status) => status !== 'PENDING');
  const after = {
    status: row.to,
    history: row.to === subscription.status ? subscription.history : [...subscription.history, row.to],
    requests: row.answers === undefined ? subscription.requests : [...closed, row.answers].toSorted(),
  };
  const moved = { ...state, subscriptions: { ...state.subscriptions, [id]: after } };
  return { status: 200, state: told(moved, of, row.event) };
}

function charge(state: State, { by, of, name, to }: Extract<Action, { do: 'charge' }>): Outcome {
  const id = `${of} ${name}`;
  const before = state.charges[id];
  if (by !== of || before === undefined) return refused(state, 404);
  if (!CHARGE_MOVES.has(`${before.status} ${to}`)) return refused(state, 409);
  const reserved = before.refunds.includes('PENDING');
  if (to === 'REFUNDED' && !reserved && state.balances[of].available < PRICE) return refused(state, 409);
  const refunds = to === 'REFUNDED' ? ['SETTLED'] : before.refunds;
  const moved = told(
    { ...state, charges: { ...state.charges, [id]: { status: to, refunds } } },
    of,
    `ORDER-PAYIN.${to}`,
  );
  if (to === 'PAID') return { status: 200, state: paid(moved, of, PRICE, 0) };
  if (to !== 'REFUNDED') return { status: 200, state: moved };
  return { status: 200, state: reserved ? paid(moved, of, 0, -PRICE) : paid(moved, of, -PRICE, 0) };
}

function refund(state: State, { by, name, key }: Extract<Action, { do: 'refund' }>): Outcome {
  const id = `${by} ${name}`;
  const before = state.charges[id];
  if (before === undefined) return refused(state, 404);
  const claim = `refund ${id} ${key}`;
  if (state.keys[claim] !== undefined) return refused(state, 201);
  if (before.status !== 'PAID' || before.refunds.length > 0) return refused(state, 409);
  if (state.balances[by].available < PRICE) return refused(state, 409);
  const charges = { ...state.charges, [id]: { ...before, refunds: ['PENDING'] } };
  return {
    status: 201,
    state: paid({ ...state, charges, keys: { ...state.keys, [claim]: 'used' } }, by, -PRICE, PRICE),
  };
}

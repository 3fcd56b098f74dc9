import type { Bank } from '#shared/bank/bank.ts';
import type { Command, CommandOutcome, FoundCommand } from '#shared/bank/outcome.ts';
import type { PaymentState } from '#shared/bank/ports/payouts.ts';
import { endToEndId } from '#shared/core/identifiers.ts';
import type { Item, Key, Store, Write } from '#shared/platform/table/store.ts';
import { keyOf } from '#shared/platform/table/store.ts';
import { testIds } from '../support/test-ids.ts';
import type { Draws } from './bank-books.ts';
import { instantOf } from './bank-books.ts';
import type { Check } from './bank-checks.ts';
import type { Mutation } from './bank-behind.ts';

type Referenced = { readonly reference: string };
type AnyCommand = <Order extends Referenced, State>(command: Command<Order, State>) => Command<Order, State>;

/** The bank with every command changed alike. */
function everyCommand(bank: Bank, change: AnyCommand): Bank {
  const { charges, payouts, refunds, recurrences, recurringCharges } = bank;
  return {
    ...bank,
    charges: { open: change(charges.open), remove: change(charges.remove) },
    payouts: { ...payouts, send: change(payouts.send) },
    refunds: change(refunds),
    recurrences: { ...recurrences, open: change(recurrences.open), cancel: change(recurrences.cancel) },
    recurringCharges: {
      ...recurringCharges,
      schedule: change(recurringCharges.schedule),
      withdraw: change(recurringCharges.withdraw),
    },
  };
}

const responses =
  (change: <State>(response: CommandOutcome<State>) => CommandOutcome<State>) =>
  (bank: Bank): Bank =>
    everyCommand(bank, ({ submit, find }) => ({
      submit: async (order, context) => change(await submit(order, context)),
      find,
    }));

const refusal = { outcome: 'REFUSED', reason: 'It was taken for a refusal.' } as const;

/** What the bank says of a payment, changed. */
function payments(bank: Bank, change: (state: PaymentState) => PaymentState): Bank {
  const changed = <Said extends FoundCommand<PaymentState>>(outcome: Said): Said =>
    outcome.outcome === 'DONE' ? { ...outcome, state: change(outcome.state) } : outcome;
  const { send } = bank.payouts;
  return {
    ...bank,
    payouts: {
      ...bank.payouts,
      send: {
        submit: async (order, context) => changed(await send.submit(order, context)),
        find: async (order, context) => changed(await send.find(order, context)),
      },
    },
  };
}

function repeatsUnderAnotherName(bank: Bank): Bank {
  let count = 0;
  return everyCommand(bank, ({ submit, find }) => ({
    find,
    submit: async (order, context) => {
      const response = await submit(order, context);
      if (response.outcome !== 'UNKNOWN') return response;
      const reference = `0000000000008000a000${String((count += 1)).padStart(10, '0')}00`;
      return submit({ ...order, reference }, context);
    },
  }));
}

function removesUnasked(bank: Bank): Bank {
  const answerRemoved = ({ reference: txid }: Referenced) => {
    const location = 'pix.service.example/qr/v2/cob/0';
    return Promise.resolve({ outcome: 'DONE', state: { txid, location, status: 'REMOVED', payments: [] } } as const);
  };
  return { ...bank, charges: { ...bank.charges, remove: { submit: answerRemoved, find: answerRemoved } } };
}

function overrulesPaid(bank: Bank, draws: Draws): Bank {
  return payments(bank, (state) =>
    state.status === 'PAID' && draws.chance(0.3)
      ? { status: 'ERROR', code: 'BE17', reason: 'The charge was booked first.', returns: [] }
      : state,
  );
}

function inventsNumbers(bank: Bank): Bank {
  const ids = testIds('invented');
  return payments(bank, (state) => ({ endToEndId: endToEndId('99999004', instantOf(0), ids), ...state }));
}

type Seen = (item: Item) => Item | undefined;

/** A table whose readers see some items otherwise, and whose writers ask no conditions about them. */
export function carelessStore(store: Store, isOf: (key: Key) => boolean, seen: Seen): Store {
  const careless = <W extends Write>(write: W): W => {
    if (!isOf(keyOf(write))) return write;
    const { when: _when, ...rest } = write;
    return rest as W;
  };
  const see = (item: Item): readonly Item[] => {
    const one = isOf(item) ? seen(item) : item;
    return one === undefined ? [] : [one];
  };
  return {
    read: async (keys) => (await store.read(keys)).map((item) => item && see(item)[0]),
    query: async (query) => {
      const page = await store.query(query);
      return { ...page, items: page.items.flatMap(see) };
    },
    write: (writes, token) => store.write(writes.map(careless), token),
    writeOne: (write) => store.writeOne(careless(write)),
  };
}

const creditsTwice = (store: Store): Store =>
  carelessStore(
    store,
    ({ PK }) => PK.includes('#PIX#'),
    () => undefined,
  );

/** A payout that was paid is read as PENDING. */
const reopensPayouts = (store: Store): Store =>
  carelessStore(
    store,
    ({ SK, PK }) => SK === 'ORDER' && PK.includes('#ORDER#'),
    (item) => (item['entity'] === 'PAYOUT' && item['status'] === 'PAID' ? { ...item, status: 'PENDING' } : item),
  );

/** Services that are wrong in one way each, and the checks that must see it. */
export const mutations: Readonly<Record<string, { readonly mutation: Mutation; readonly seenBy: readonly Check[] }>> = {
  'believes "used already"': {
    mutation: { ways: { repetition: 'REFUSED', believesUsedAlready: true } },
    seenBy: ['refused here alone'],
  },
  'does not look up': {
    mutation: {
      bank: (bank) =>
        everyCommand(bank, ({ submit }) => ({ submit, find: () => Promise.resolve({ outcome: 'NEVER_SEEN' }) })),
    },
    seenBy: ['left'],
  },
  'repeats on timeout under another reference': { mutation: { bank: repeatsUnderAnotherName }, seenBy: ['doubled'] },
  'takes a timeout for a refusal': {
    mutation: { bank: responses((response) => (response.outcome === 'UNKNOWN' ? refusal : response)) },
    seenBy: ['refused here alone', 'state'],
  },
  'takes "not now" for a refusal': {
    mutation: { bank: responses((response) => (response.outcome === 'NOT_NOW' ? refusal : response)) },
    seenBy: ['refused here alone'],
  },
  'expires and cancels unasked': { mutation: { bank: removesUnasked }, seenBy: ['state'] },
  'overrules PAID': { mutation: { bank: overrulesPaid }, seenBy: ['state', 'money'] },
  'invents numbers that come late': {
    mutation: { bank: inventsNumbers, ways: { endToEndIds: 'LATE' } },
    seenBy: ['number'],
  },
  'credits a Pix twice': { mutation: { store: creditsTwice }, seenBy: ['credited once', 'money'] },
  'moves a final status': { mutation: { store: reopensPayouts }, seenBy: ['final'] },
  'forgets to poll payouts': { mutation: { forgets: ['PAYOUT_POLL'] }, seenBy: ['left'] },
  'forgets to poll refunds': { mutation: { forgets: ['REFUND_POLL'] }, seenBy: ['left'] },
  'forgets to ask about authorizations': { mutation: { forgets: ['RECURRENCE_POLL'] }, seenBy: ['left', 'state'] },
  'forgets to end recurrences': { mutation: { forgets: ['RECURRENCE_CANCELLATION'] }, seenBy: ['left'] },
  'forgets to ask about charges': { mutation: { forgets: ['CHARGE_POLL'] }, seenBy: ['left'] },
  'forgets what is due after a crash': { mutation: { forgets: ['PAYOUT_SUBMISSION'] }, seenBy: ['left'] },
};

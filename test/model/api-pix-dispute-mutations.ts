import type { Bank } from '#shared/bank/bank.ts';
import type { BankReader, ListedClaim, ReceivedPix } from '#shared/bank/ports/reader.ts';
import type { Key, Store, Write } from '#shared/platform/table/store.ts';
import { keyOf } from '#shared/platform/table/store.ts';
import type { Mutation } from './bank-behind.ts';
import type { Check } from './bank-checks.ts';
import { carelessStore } from './bank-mutations.ts';

type Seen = { readonly mutation: Mutation; readonly seenBy: readonly Check[] };

/** A reader of claims that are changed. */
const claims = (change: (claim: ListedClaim) => readonly ListedClaim[]): Mutation => ({
  reader: (reader) => ({
    ...reader,
    listClaims: async (...window) => {
      const page = await reader.listClaims(...window);
      return { ...page, items: page.items.flatMap(change) };
    },
  }),
});

/** A reader of received payments that are changed. */
function payments(reader: BankReader, change: (pix: ReceivedPix) => ReceivedPix): BankReader {
  return {
    ...reader,
    readReceivedPix: async (endToEndId) => {
      const pix = await reader.readReceivedPix(endToEndId);
      return pix && change(pix);
    },
    listReceived: async (...window) => {
      const page = await reader.listReceived(...window);
      return { ...page, items: page.items.map(change) };
    },
  };
}

/** Takes the amount of an accepted claim for what went back, without waiting for the return. */
const foresees: Mutation = {
  reader: (reader) => {
    const accepted = new Map<string, ListedClaim>();
    const isTaken = ({ returns }: ReceivedPix) => returns.some(({ claim }) => claim !== undefined);
    const foreseen = (pix: ReceivedPix): ReceivedPix => {
      const claim = accepted.get(pix.endToEndId);
      if (claim === undefined || isTaken(pix)) return pix;
      const { claimId, amount, kind, dueAt: at } = claim;
      return { ...pix, returns: [...pix.returns, { returnId: `D${claimId}`, amount, at, claim: kind }] };
    };
    return {
      ...reader,
      readReceivedPix: async (endToEndId) => {
        const pix = await reader.readReceivedPix(endToEndId);
        return pix && foreseen(pix);
      },
      listClaims: async (...window) => {
        const page = await reader.listClaims(...window);
        for (const claim of page.items) if (claim.status === 'ACCEPTED') accepted.set(claim.endToEndId, claim);
        return page;
      },
    };
  },
};

/** The bank with another port of defences. */
const defences =
  (change: (port: Bank['defences']) => Bank['defences']): ((bank: Bank) => Bank) =>
  (bank) => ({ ...bank, defences: change(bank.defences) });

const isReturn = ({ PK }: Key): boolean => PK.includes('#MED#');

/** Leaves money blocked when its dispute ends without a return. */
function keepsBlocked(store: Store): Store {
  const isRelease = (write: Write): boolean => 'put' in write && write.put['kind'] === 'MED_RELEASED';
  return {
    ...store,
    write: (writes, token) =>
      store.write(
        writes.some(isRelease) ? writes.filter((write) => !isRelease(write) && keyOf(write).SK !== 'BALANCE') : writes,
        token,
      ),
  };
}

const done = { outcome: 'DONE', state: { status: 'SENT' } } as const;

/** Services that are wrong in one way each about claims of payers, and the checks that must see it. */
export const disputeMutations: Readonly<Record<string, Seen>> = {
  'books a return of the banks twice': {
    mutation: { store: (store) => carelessStore(store, isReturn, () => undefined) },
    seenBy: ['taken back', 'gone back', 'money'],
  },
  'books no return that it did not ask for': {
    mutation: {
      reader: (reader) =>
        payments(reader, (pix) => ({ ...pix, returns: pix.returns.filter(({ claim }) => claim === undefined) })),
    },
    seenBy: ['taken back', 'gone back', 'money'],
  },
  'books an accepted claim before its return': { mutation: foresees, seenBy: ['taken back', 'money'] },
  'takes an accepted claim for a rejected one until its return comes': {
    mutation: claims((claim) => [claim.status === 'ACCEPTED' ? { ...claim, status: 'REJECTED' } : claim]),
    seenBy: ['claims'],
  },
  'knows a claim by its payment': {
    mutation: claims((claim) => [{ ...claim, claimId: claim.endToEndId }]),
    seenBy: ['claims'],
  },
  'leaves money blocked that a rejected claim releases': { mutation: { store: keepsBlocked }, seenBy: ['blocked'] },
  'forgets to block what comes later': { mutation: { forgets: ['MED_BLOCK'] }, seenBy: ['blocked'] },
  'forgets to look up a defence': { mutation: { forgets: ['DISPUTE_DEFENCE'] }, seenBy: ['left'] },
  'sends a defence again without looking it up': {
    mutation: {
      bank: defences(({ submit }) => ({ submit, find: () => Promise.resolve({ outcome: 'NEVER_SEEN' }) })),
    },
    seenBy: ['doubled', 'defence'],
  },
  'takes a lost answer for a defence that was sent': {
    mutation: {
      bank: defences(({ submit, find }) => ({
        submit: async (order, context) => {
          const response = await submit(order, context);
          return response.outcome === 'UNKNOWN' ? done : response;
        },
        find,
      })),
    },
    seenBy: ['defence'],
  },
};

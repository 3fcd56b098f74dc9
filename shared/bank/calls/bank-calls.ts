import * as z from 'zod';
import type { Clock, Instant } from '#shared/core/brasilia-time.ts';
import { secondsBetween } from '#shared/core/brasilia-time.ts';
import { nowMs } from '#shared/platform/clock.ts';
import { errorFields, log } from '#shared/platform/log.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { ItemMembers, Members } from '#shared/platform/table/parse.ts';
import { parserOf } from '#shared/platform/table/parse.ts';
import type { Item, Store } from '#shared/platform/table/store.ts';
import type { BankConnection, Pause } from '../connection.ts';
import { PauseShape } from '../connection.ts';

/** Calls that a bank may limit separately: lists, and look-ups of codes and their keys (DICT). */
export type CallKind = 'LIST' | 'LOOKUP';

/** A pause that all processes share. */
export type PauseMemory = {
  /** Returns the pause in the table, at most some seconds old. */
  readonly paused: () => Promise<Pause | undefined>;
  /** Replaces the pause `seen`; false when another process has replaced it. */
  readonly write: (next: Pause | undefined, seen: Pause | undefined) => Promise<boolean>;
};

/**
 * How the bank responded to a call: it refused the call, with a status and perhaps a code in the body, or carried it
 * out.
 */
export type Met = { readonly is: 'REFUSED'; readonly status: number; readonly code?: string } | { readonly is: 'DONE' };

/** Refusals of an operation by the bank (401, 403): the first, the last, and how many there were at least. */
type Refusal = {
  readonly status: number;
  /** Code in the bank's body. */
  readonly code?: string;
  readonly since: Instant;
  readonly last: Instant;
  readonly count: number;
};

/** Formats a refusal for an operator. */
export function refusalText({ status, code, since, last, count }: Refusal): string {
  return `refused: ${status}${code === undefined ? '' : ` ${code}`}, ${count} times, first ${since}, last ${last}`;
}

/**
 * Refusals and pauses of a connection's calls, stored beside the connection. Each write replaces the `version` that was
 * read.
 */
type BankCalls = {
  readonly companyId: string;
  /** Refusals by operation (`PUT /v3/gn/pix`), until its first success. */
  readonly refusals: Readonly<Record<string, Refusal>>;
  /** Pauses of calls that the bank limits separately. */
  readonly pauses: Readonly<Partial<Record<CallKind, Pause>>>;
  readonly version: number;
};

const BankCallsItem = z.object({
  entity: z.literal('BANK_CALLS'),
  companyId: z.string(),
  refusals: z.record(
    z.string(),
    z.object({
      status: z.int(),
      code: z.string().exactOptional(),
      since: z.string(),
      last: z.string(),
      count: z.int(),
    } satisfies Members<Refusal>),
  ),
  pauses: z.object({
    LIST: PauseShape.exactOptional(),
    LOOKUP: PauseShape.exactOptional(),
  } satisfies Members<Record<CallKind, Pause>>),
  version: z.int(),
} satisfies ItemMembers<BankCalls>);
const parseBankCalls: (item: Item) => BankCalls = parserOf(BankCallsItem, 'bank calls');

/** Identifies a connection. */
type ConnectionKey = Pick<BankConnection, 'companyId' | 'id'>;

/** Reads the refusals and pauses of a connection with one read; undefined when none was stored. @throws CorruptItem */
export async function readBankCalls(store: Store, { companyId, id }: ConnectionKey): Promise<BankCalls | undefined> {
  const [item] = await store.read([keys.bankCalls(companyId, id)]);
  return item && parseBankCalls(item);
}

/** A process's memory of a connection's calls. */
type CallsMemory = {
  readonly pauseOf: (kind: CallKind) => PauseMemory;
  /** Stores a refusal of an operation, or deletes it after the operation's first success. Never throws. */
  readonly met: (operation: string, met: Met) => Promise<void>;
};

type Change = Pick<BankCalls, 'refusals' | 'pauses'>;

/** Time after which changes of another process are read. */
const readEveryMs = 5000;
/** Time after which a continuing refusal is written again. */
const writeEverySeconds = 60;

export function callsMemory(store: Store, connectionKey: ConnectionKey, now: Clock): CallsMemory {
  const { companyId, id } = connectionKey;
  let known: { readonly atMs: number; readonly calls: Promise<BankCalls | undefined> } | undefined;
  /** Refusals by operation since they were last written. */
  const unwritten = new Map<string, number>();

  const read = (): Promise<BankCalls | undefined> => {
    if (known === undefined || nowMs() - known.atMs >= readEveryMs)
      known = { atMs: nowMs(), calls: readBankCalls(store, connectionKey) };
    return known.calls;
  };
  const write = async (seen: BankCalls | undefined, change: Partial<Change>): Promise<boolean> => {
    const { version = 0, ...rest } = seen ?? { refusals: {}, pauses: {} };
    const item = { ...rest, ...change, companyId, entity: 'BANK_CALLS', version: version + 1 };
    known = undefined;
    const { ok } = await store.writeOne({
      put: { ...keys.bankCalls(companyId, id), ...item },
      when: seen === undefined ? { is: 'absent' } : { equals: { version } },
    });
    return ok;
  };

  const refuse = async (
    operation: string,
    { status, code }: Extract<Met, { readonly is: 'REFUSED' }>,
  ): Promise<void> => {
    const seen = await read();
    const at = now();
    const before = seen?.refusals[operation];
    const count = (unwritten.get(operation) ?? 0) + 1;
    unwritten.set(operation, count);
    const isKnown = before?.status === status && before.code === code;
    if (isKnown && secondsBetween(before.last, at) < writeEverySeconds) return;
    const refusal = {
      status,
      ...(code !== undefined && { code }),
      since: before?.since ?? at,
      last: at,
      count: (before?.count ?? 0) + count,
    };
    const isWritten = await write(seen, { refusals: { ...seen?.refusals, [operation]: refusal } });
    if (isWritten) unwritten.delete(operation);
  };
  const succeed = async (operation: string): Promise<void> => {
    unwritten.delete(operation);
    const seen = await read();
    if (seen?.refusals[operation] === undefined) return;
    const { [operation]: _ended, ...refusals } = seen.refusals;
    await write(seen, { refusals });
  };

  return {
    pauseOf: (kind) => ({
      paused: async () => (await read())?.pauses[kind],
      write: async (next, before) => {
        const seen = await read();
        if (seen?.pauses[kind]?.until !== before?.until) return false;
        const { [kind]: _before, ...others } = seen?.pauses ?? {};
        return write(seen, { pauses: next === undefined ? others : { ...others, [kind]: { ...next } } });
      },
    }),
    met: async (operation, met) => {
      try {
        if (met.is === 'REFUSED') await refuse(operation, met);
        else await succeed(operation);
      } catch (error) {
        // The call of the bank has ended, and its response counts even if it cannot be recorded.
        known = undefined;
        log('warn', 'Cannot record a bank call', { companyId, connectionId: id, operation, ...errorFields(error) });
      }
    },
  };
}

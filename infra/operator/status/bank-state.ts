import { lateAfterSeconds } from '#functions/workers.ts';
import { readReceivedTo } from '#shared/bank-events/received-poll.ts';
import { readBankCalls, refusalText } from '#shared/bank/calls/bank-calls.ts';
import type { BankConnection, Pause } from '#shared/bank/connection.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Store } from '#shared/platform/table/store.ts';

/** State of a connection to a bank. */
export type BankState = {
  readonly connectionId: string;
  /**
   * `PAUSED`: no call is sent. `REFUSED`: the bank refuses operations. `LIMITED`: lists or look-ups are paused.
   * `SILENT`: no payments were read lately.
   */
  readonly state: 'GOOD' | 'PAUSED' | 'REFUSED' | 'LIMITED' | 'SILENT';
  readonly since: Instant | null;
  /** The service has read the payments at the bank until then, each minute. */
  readonly readTo: Instant | null;
};

/** A problem of a bank, and the command for it. */
export type BankProblem = { readonly text: string; readonly command: 'bank:check' | 'bank:resume' };
type LookedAt = { readonly bank: BankState; readonly problems: readonly BankProblem[] };

/**
 * Looks at a connection in two reads. A pause whose time is over still counts: the first response of the bank removes
 * it.
 */
export async function lookAtBank(store: Store, connection: BankConnection, now: Instant): Promise<LookedAt> {
  const { id, paused } = connection;
  const readTo = (await readReceivedTo(store, connection)) ?? null;
  const { refusals = {}, pauses = {} } = (await readBankCalls(store, connection)) ?? {};
  const refused = Object.entries(refusals);
  const limited = Object.entries(pauses);
  const isSilent = readTo !== null && plusSeconds(readTo, lateAfterSeconds.RECEIVED_POLL) < now;
  const texts = [
    ...refused.map(([operation, refusal]) => `${operation} ${refusalText(refusal)}`),
    ...limited.map(([kind, { until, cause }]) => `${kind} calls paused until ${until}: ${cause}`),
    ...(isSilent ? [`not read since ${readTo}`] : []),
  ];
  const check = texts.map((text): BankProblem => ({ text, command: 'bank:check' }));
  const problems = paused === undefined ? check : [pauseProblem(paused), ...check];
  const state =
    paused !== undefined
      ? 'PAUSED'
      : refused.length > 0
        ? 'REFUSED'
        : limited.length > 0
          ? 'LIMITED'
          : isSilent
            ? 'SILENT'
            : 'GOOD';
  const [first = null] = [
    paused?.since,
    ...refused.map(([, { since }]) => since),
    ...limited.map(([, one]) => one.since),
  ]
    .filter((since) => since !== undefined)
    .toSorted();
  return { bank: { connectionId: id, state, since: first ?? (isSilent ? readTo : null), readTo }, problems };
}

/** An operator's pause has no failures before it, and ends by a command alone. */
function pauseProblem({ since, until, cause, failures }: Pause): BankProblem {
  if (failures === 0) return { text: `paused since ${since ?? '-'}: ${cause}`, command: 'bank:resume' };
  return {
    text: `paused ${failures} times since ${since ?? '-'}, now until ${until}: ${cause}`,
    command: 'bank:check',
  };
}

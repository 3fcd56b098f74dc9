import { randomBytes } from 'node:crypto';
import { claimDeletes, freedClaims } from '#shared/bank/claims.ts';
import { callbackPut, callbackTokenHash, connectionUpdate, servedDelete, versionPut } from '#shared/bank/connection.ts';
import { forbiddenByState } from '#shared/core/errors.ts';
import { pick } from '#shared/core/pick.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { readOrMakeHash } from '#shared/platform/keyed-hash.ts';
import { openAt } from './bank-unanswered.ts';
import type { Which } from './bank-client.ts';
import { changedMeanwhile, oneOfAll } from './bank-client.ts';
import type { BankDependencies } from './target.ts';

type Facts = Readonly<Record<string, string | null>>;

/**
 * Creates a new callback token of a connection and shows it once. Previous tokens stay valid. With `finish` it creates
 * no token and revokes the previous ones: the bank must have the new address by then.
 * @throws RequestError 404, 409; UsageError
 */
export async function rotateCallbacks(
  { store, ids }: BankDependencies,
  { finish, ...which }: Which & { readonly finish?: string | undefined },
): Promise<Facts> {
  const { banks, connection } = await oneOfAll({ store }, which);
  const { companyId, id: connectionId, callback } = connection;
  const { tokenHash, former = [] } = callback;
  const known = pick(callback, 'subject');
  const token = randomBytes(16).toString('hex');
  const next = callbackTokenHash(token);
  const isFinish = finish !== undefined;
  const { ok } = await store.write(
    [
      versionPut(companyId, banks),
      connectionUpdate(connection, {
        callback: isFinish ? { tokenHash, ...known } : { tokenHash: next, former: [tokenHash, ...former], ...known },
      }),
      ...(isFinish ? [] : [callbackPut(connection, next)]),
    ],
    ids.uuid(),
  );
  if (!ok) throw changedMeanwhile();
  return isFinish ? { companyId, connectionId } : { companyId, connectionId, callbackSecret: token };
}

/**
 * Time after which no process uses a connection that its accounts left. Processes cache connections for seconds, and a
 * request that began with a cached connection ends within this time.
 */
const leavingSeconds = 120;

/**
 * Ends a connection without open work. Removes its secret, frees its claims, rejects its callbacks and stops reading
 * its lists. If the connection serves accounts, the command only detaches them. The operator repeats it after
 * `repeatAt`, when no process uses the connection any more.
 * @throws RequestError 404; 409 if the connection has open work: nothing was written then
 */
export async function disconnectBank({ store, ids, now, bankSecrets }: BankDependencies, which: Which): Promise<Facts> {
  const { banks, connection } = await oneOfAll({ store }, which);
  const { companyId, id: connectionId, leftAt, secret } = connection;
  const open = await openAt(store, companyId, connectionId);
  if (open.length > 0) {
    const named = open.map(({ kind, count }) => `${kind} ${count}`).join(', ');
    throw forbiddenByState('connection', 'TRANSITION_NOT_ALLOWED', `The connection still has open work: ${named}.`);
  }
  const served = [...banks.serving].filter(([, id]) => id === connectionId).map(([accountId]) => accountId);
  const at = now();
  if (served.length > 0) {
    const leave = [
      versionPut(companyId, banks),
      connectionUpdate(connection, { leftAt: at }),
      ...served.map((accountId) => servedDelete(connection, accountId)),
    ];
    if (!(await store.write(leave, ids.uuid())).ok) throw changedMeanwhile();
    return { companyId, connectionId, endedAt: null, repeatAt: plusSeconds(at, leavingSeconds) };
  }
  const mayEndAt = plusSeconds(leftAt ?? at, leavingSeconds);
  if (mayEndAt > at) return { companyId, connectionId, endedAt: null, repeatAt: mayEndAt };
  const closed = { ...connection, endedAt: at };
  const hash = await readOrMakeHash(store);
  const end = [
    versionPut(companyId, banks),
    connectionUpdate(connection, { endedAt: at }),
    ...claimDeletes(hash, companyId, freedClaims(banks, [closed])),
  ];
  if (!(await store.write(end, ids.uuid())).ok) throw changedMeanwhile();
  await bankSecrets().remove(secret);
  return { companyId, connectionId, endedAt: at, repeatAt: null };
}

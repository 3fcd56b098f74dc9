import { readBankCalls, refusalText } from '#shared/bank/calls/bank-calls.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { readBanks, writePause } from '#shared/bank/connection.ts';
import { forbiddenByState } from '#shared/core/errors.ts';
import { companyIds } from '#shared/platform/company.ts';
import type { Which } from './bank-client.ts';
import { oneConnection } from './bank-client.ts';
import { lookAtBank } from './status/bank-state.ts';
import type { OnboardingDependencies } from './target.ts';

type Facts = Readonly<Record<string, string | null>>;

/** Lists every connection of every company with its state, also those that ended. */
export async function listBanks({
  store,
  now,
}: Pick<OnboardingDependencies, 'store' | 'now'>): Promise<readonly Facts[]> {
  const found: Facts[] = [];
  for await (const companyId of companyIds(store)) {
    const { connections, serving } = await readBanks(store, companyId);
    for (const connection of connections) {
      const { id, dialect, apiUrl, accounts, paused, createdAt, leftAt, endedAt } = connection;
      const { bank } = await lookAtBank(store, connection, now());
      const served = Object.keys(accounts).filter((accountId) => serving.get(accountId) === id);
      found.push({
        companyId,
        connectionId: id,
        dialect,
        apiUrl,
        accounts: served.join(' '),
        state: endedAt === undefined ? bank.state : 'ENDED',
        since: bank.since,
        readTo: bank.readTo,
        connectedAt: createdAt,
        pausedUntil: paused?.until ?? null,
        pausedBecause: paused?.cause ?? null,
        refused: await refusedAt(store, connection),
        leftAt: leftAt ?? null,
        endedAt: endedAt ?? null,
      });
    }
  }
  return found;
}

/** The operations that the bank refuses, with the status of each; null for none. */
async function refusedAt(store: OnboardingDependencies['store'], connection: BankConnection): Promise<string | null> {
  const { refusals = {} } = (await readBankCalls(store, connection)) ?? {};
  const lines = Object.entries(refusals).map(([operation, refusal]) => `${operation} ${refusalText(refusal)}`);
  return lines.length === 0 ? null : lines.join('; ');
}

/** `until` of an operator's pause. It does not expire: an operator resumes the connection. */
const forever = '9999-12-31T23:59:59.999Z';

/**
 * Stops every call to the bank of a connection: commands wait, queries get 503.
 * @throws RequestError 404, 409; UsageError where the company has several connections and none is named
 */
export function pauseBank(dependencies: Pick<OnboardingDependencies, 'store' | 'now'>, which: Which) {
  const [cause, since] = ['an operator paused the connection', dependencies.now()];
  return replacePause(dependencies, which, { until: forever, cause, failures: 0, since });
}

/**
 * Ends a pause of a connection that an operator or the service itself began.
 * @throws RequestError 404, 409; UsageError where the company has several connections and none is named
 */
export function resumeBank(dependencies: Pick<OnboardingDependencies, 'store'>, which: Which) {
  return replacePause(dependencies, which, undefined);
}

async function replacePause(
  dependencies: Pick<OnboardingDependencies, 'store'>,
  which: Which,
  next: BankConnection['paused'],
): Promise<Facts> {
  const connection = await oneConnection(dependencies, which);
  const { companyId, id: connectionId } = connection;
  if (!(await writePause(dependencies.store, connection, next, connection.paused)))
    throw forbiddenByState('company', 'INVALID_VALUE', 'The connection changed meanwhile: repeat the command.');
  return { companyId, connectionId, pausedUntil: next?.until ?? null };
}

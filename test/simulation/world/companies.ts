import { createClient, createCompany } from '#infra/operator/onboarding.ts';
import type { OnboardingDependencies } from '#infra/operator/target.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { systemClock } from '#shared/platform/clock.ts';
import { openAccounts } from '../crowd/accounts.ts';
import type { Company, Received, Sent } from '../crowd/world-types.ts';
import { behaviours } from './receivers.ts';
import type { World } from './world.ts';

const hostsPerCompany = 4;

/** What operators' commands have, on the table as an invocation meets it. */
export function operatorDeps({ table }: World): OnboardingDependencies {
  return { store: table.store, ids: randomIds, now: systemClock };
}

/** The addresses of a company's receivers; the first is always well. */
export function endpointsOf(world: World, companyId: string): readonly string[] {
  return [...world.receivers.hosts]
    .filter(([, known]) => known.companyId === companyId)
    .flatMap(([host]) => [`https://${host}/hooks`, `https://${host}/other`]);
}

/** A company as operators make it: client, accounts, receivers, and a bank of its own if it has one. */
export async function addCompany(world: World, kind: Company['kind'], place: number): Promise<Company> {
  const deps = operatorDeps(world);
  const { companyId } = await createCompany(deps, { name: `Company ${place}` });
  const { clientId } = await createClient(deps, { companyId, clientId: `client-${place}` });
  if (kind === 'BANK') bookAtBank(world, companyId);
  const accounts = await openAccounts(deps, world.draws, companyId);
  for (let host = 0; host < hostsPerCompany; host += 1) {
    const name = `receiver-${place}-${host}.example.com`;
    world.receivers.add(name, companyId, host === 0 ? 'FAST' : world.draws.one(behaviours));
    world.names.add(name);
  }
  return { companyId, clientId, kind, accounts, send: sender(world, companyId, clientId) };
}

/** API Gateway keeps an authorizer's answer for a minute; the authorizer may have taken five seconds for it. */
const cachedMs = 66_000;

/** The partner's way to the gateway: one token for all its requests, another when it ended or was refused. */
function sender(world: World, companyId: string, clientId: string): (sent: Sent) => Promise<Received | 'LOST'> {
  const hour = 3_600_000;
  let token: { readonly text: string; readonly untilMs: number } | undefined;
  const caller = {
    companyId,
    token: () => {
      // Some partners notice only by a refusal that their token has ended.
      if (token === undefined || (token.untilMs < world.time.now() && world.draws.chance(0.8)))
        token = { text: world.issuer.token(clientId), untilMs: world.time.now() + 0.9 * hour };
      return token.text;
    },
    renew: () => {
      token = undefined;
    },
  };
  return async (sent) => {
    const beganMs = world.time.now();
    const response = await world.request(caller, sent);
    const disabledMs = world.known.disabled.get(keys.apiClient(clientId).PK) ?? Infinity;
    if (response !== 'LOST' && response.status < 300 && disabledMs + cachedMs < beganMs)
      world.finding('a disabled client has no access', `${clientId}: ${sent.contract.operationId}`, [companyId]);
    return response;
  };
}

/** What operators book for money that came in outside the service, the company's bank has too. */
function bookAtBank(world: World, companyId: string): void {
  const { books } = world.banks.add(companyId);
  world.known.watchers.set(companyId, ({ entity, kind, accountId, available }) => {
    if (entity !== 'LEDGER_ENTRY' || typeof accountId !== 'string' || typeof available !== 'number') return;
    if (kind === 'DEPOSIT' || kind === 'OPENING') books.book(accountId, available);
  });
}

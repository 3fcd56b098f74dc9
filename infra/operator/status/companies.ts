import type { BankConnection } from '#shared/bank/connection.ts';
import { liveConnections, readBanks } from '#shared/bank/connection.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { companyIds, parseCompany } from '#shared/platform/company.ts';
import { concurrently } from '#shared/platform/concurrently.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { parseHealth } from '#shared/webhooks/health/store.ts';
import { parseWebhookSettings } from '#shared/webhooks/settings-store.ts';
import type { EndpointHealth } from '../health.ts';
import { countOpen, deliveriesCountedAtMost, troubledEndpoints } from '../health.ts';
import type { BankProblem, BankState } from './bank-state.ts';
import { lookAtBank } from './bank-state.ts';
import type { Problem } from './problem.ts';

/** A connection of a company to its bank, without the commands that wait there. */
export type CompanyBank = { readonly companyId: string; readonly company: string } & BankState;
type Endpoint = { readonly company: string } & EndpointHealth;
export type Companies = {
  readonly names: ReadonlyMap<string, string>;
  readonly banks: readonly CompanyBank[];
  readonly endpoints: readonly Endpoint[];
  readonly problems: readonly Problem[];
};

/** Companies that are looked at concurrently. */
const atOnce = 10;

/**
 * Looks at the banks and endpoints of every company: three calls for each, two more for each connection, and one for
 * 25 notifications that failed, at most 1000 of them. What cannot be read is a problem, and the others are still read.
 */
export async function lookAtCompanies(store: Store, now: Instant): Promise<Companies> {
  const found = await concurrently(companyIds(store), atOnce, async (companyId): Promise<Company> => {
    try {
      return await lookAt(store, companyId, now);
    } catch (error) {
      const problem = `${companyId} cannot be read: ${error instanceof Error ? error.message : 'failed'}`;
      return { companyId, name: companyId, banks: [], endpoints: [], problems: [{ problem, next: 'reconcile' }] };
    }
  });
  return {
    names: new Map(found.map(({ companyId, name }) => [companyId, name])),
    banks: found.flatMap(({ banks }) => banks),
    endpoints: found.flatMap(({ endpoints }) => endpoints),
    problems: found.flatMap(({ problems }) => problems),
  };
}

type Company = Omit<Companies, 'names'> & { readonly companyId: string; readonly name: string };

async function lookAt(store: Store, companyId: string, now: Instant): Promise<Company> {
  const [item, settingsItem, healthItem] = await store.read([
    keys.company(companyId),
    keys.webhookSettings(companyId),
    keys.webhookHealth(companyId),
  ]);
  if (item === undefined || settingsItem === undefined) throw new Error('its items are missing');
  const { name } = parseCompany(item);
  const { heldSince } = parseWebhookSettings(settingsItem);
  const endpoints = await troubledEndpoints(store, parseHealth(companyId, healthItem), now);
  const held = { endpoint: 'all', state: 'HELD', reason: null } as const;
  const all = [...(heldSince === undefined ? [] : [{ ...held, since: heldSince }]), ...endpoints];
  const failed = await countOpen(store, companyId, 'FAILED');
  const banks: CompanyBank[] = [];
  const problems: Problem[] = [];
  for (const connection of liveConnections(await readBanks(store, companyId))) {
    const looked = await lookAtBank(store, connection, now);
    banks.push({ companyId, company: name, ...looked.bank });
    problems.push(...looked.problems.map((problem) => bankProblem(name, connection, problem)));
  }
  problems.push(
    ...all.map(({ endpoint, state, since, reason }) => ({
      problem: `${name}: endpoint ${endpoint} is ${state} since ${since}${reason === null ? '' : ` (${reason})`}`,
      next: state === 'HELD' ? `webhook:release --company ${companyId}` : `webhook:endpoints --company ${companyId}`,
    })),
  );
  if (failed > 0) {
    const count = failed < deliveriesCountedAtMost ? failed : `${failed}+`;
    problems.push({ problem: `${name}: notifications that failed: ${count}`, next: `health --company ${companyId}` });
  }
  return { companyId, name, banks, endpoints: all.map((endpoint) => ({ company: name, ...endpoint })), problems };
}

function bankProblem(company: string, { companyId, id }: BankConnection, { text, command }: BankProblem): Problem {
  return { problem: `${company}: bank ${text}`, next: `${command} --company ${companyId} --connection ${id}` };
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Addresses, Partner, Send, Company } from '@banking-order/partner-tools';
import { connectPartner, send } from '@banking-order/partner-tools';
import { createClient, createCompany } from '#infra/operator/onboarding.ts';
import type { OperatorDependencies } from '#infra/operator/target.ts';
import { connectTarget } from '#infra/operator/target.ts';
import type { Draws } from '#test/model/bank-books.ts';
import { openAccounts } from '#test/simulation/crowd/accounts.ts';
import type { LocalProcess } from '#test/support/environment-local.ts';
import { startLocalProcess } from '#test/support/environment-local.ts';

/** What dies: the service's process, or it and everything that it started, the database too. */
export type Kill = Parameters<LocalProcess['kill']>[0];

export type Environment = Awaited<ReturnType<typeof openEnvironment>>;

/** A local environment on a folder, with so many companies of the crowd, that is killed and started again. */
export async function openEnvironment(folder: string, draws: Draws, companiesCount: number) {
  const start = () => startLocalProcess({ folder, retryDelaysSeconds: '1,1,1,1', scheduleSeconds: 15 });
  // Every start has another address.
  const connect = (): OperatorDependencies => connectTarget({ localDir: folder }, {});
  let local = await start();
  let operator = connect();
  const companies = await onboard(operator, draws, companiesCount);
  let partners = connectAll(local.sandbox, companies, send);
  let readers = connectAll(local.sandbox, companies, patient);
  return {
    folder,
    companies: companies.map(({ companyId }) => companyId),
    partners: (): readonly Partner[] => partners,
    /** The same, for the checks: they ask again what a busy machine does not answer. */
    readers: (): readonly Partner[] => readers,
    operator: (): OperatorDependencies => operator,
    kill: (target: Kill): Promise<void> => local.kill(target),
    /** Starts it again on its folder. @returns seconds until it was ready */
    restart: async (): Promise<number> => {
      const began = performance.now();
      local = await start();
      const seconds = (performance.now() - began) / 1000;
      operator = connect();
      partners = connectAll(local.sandbox, companies, send);
      readers = connectAll(local.sandbox, companies, patient);
      return seconds;
    },
    stop: (): Promise<void> => local.stop(),
  };
}

/** Companies with accounts and a client each, by the operator's commands. */
async function onboard(deps: OperatorDependencies, draws: Draws, count: number): Promise<readonly Company[]> {
  const companies: Company[] = [];
  for (let place = 1; place <= count; place += 1) {
    const name = `Company ${place}`;
    const { companyId, webhookSecret } = await createCompany(deps, { name });
    const { clientId, clientSecret = '' } = await createClient(deps, { companyId });
    const ids = await openAccounts(deps, draws, companyId);
    const holder = { fullName: name, document: { type: 'CNPJ', number: '' } };
    const accounts = ids.map((id) => ({ id, status: 'ACTIVE', ...holder }));
    companies.push({ companyId, name, clientId, clientSecret, webhookSecret, accounts });
  }
  return companies;
}

/** The partners' systems, with the credentials of their first day: a death changes neither secrets nor accounts. */
function connectAll(addresses: Addresses, companies: readonly Company[], by: Send): readonly Partner[] {
  return companies.map((company) => connectPartner(addresses, company, by, 'CLOSED'));
}

const tries = 10;

/** Repeats a request that may be repeated, as long as the answer is that there is none now. */
const patient: Send = async (baseUrl, sent) => {
  for (let tried = 1; ; tried += 1) {
    const response = await send(baseUrl, sent);
    if (response.status < 500 || tried === tries) return response;
    await sleep(200 * tried);
  }
};

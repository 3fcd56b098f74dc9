import { DescribeBudgetsCommand } from '@aws-sdk/client-budgets';
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import type { Clock } from '#shared/core/brasilia-time.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import { unsetValues } from '#infra/unset-values.ts';
import type { AccountClients } from './clients.ts';
import { edgeChecks } from './edge.ts';
import type { Check, Finding, Verdict } from './finding.ts';
import { lookAt } from './finding.ts';
import { quotaChecks } from './quotas.ts';
import { senderChecks } from './senders.ts';

type Preflight = {
  readonly environment: string;
  readonly account: string;
  readonly region: string;
  readonly errors: number;
  readonly findings: readonly Finding[];
};

/**
 * Checks everything outside the templates that a first deployment of an environment needs. It only reads; a missing
 * permission is a finding, too.
 * @throws Error when there are no credentials
 */
export async function examineAccount(
  clients: AccountClients,
  settings: EnvironmentSettings,
  region: string,
  now: Clock,
): Promise<Preflight> {
  const { Account: account = '' } = await clients.identity.send(new GetCallerIdentityCommand({}));
  const checks: readonly Check[] = [
    { name: 'account', action: 'sts:GetCallerIdentity', judge: () => Promise.resolve(judgeAccount(settings, account)) },
    ...quotaChecks(clients, settings),
    ...senderChecks(clients, settings),
    ...edgeChecks(clients, settings, { account, region }, now),
    { name: 'Budgets', action: 'budgets:ViewBudget', judge: () => judgeBudget(clients, settings, account) },
  ];
  const findings = [...unsetFindings(settings), ...(await Promise.all(checks.map(lookAt)))];
  const errors = findings.filter(({ state }) => state === 'error').length;
  return { environment: settings.name, account, region, errors, findings };
}

/** Returns a finding for each unset value. Such a value stops the deployment, or is an address that does not exist. */
function unsetFindings(settings: EnvironmentSettings): readonly Finding[] {
  return unsetValues(settings).map(({ setting, description }) => ({
    state: 'error',
    check: 'settings',
    says: `${setting} is not set: ${description}`,
    cure: 'Set it in infra/environments.ts: docs/deployment.md, step 5.',
  }));
}

function judgeAccount({ target }: EnvironmentSettings, account: string): Verdict {
  if (target?.account === undefined || target.account === account) return { ok: account };
  return {
    error: `the credentials belong to account ${account}, the environment to ${target.account}`,
    cure: 'Use credentials of that account (AWS_PROFILE), or correct target.account.',
  };
}

/** Checks that the account has a budget. The deployment creates one where the settings have a recipient. */
async function judgeBudget(
  { budgets }: AccountClients,
  { alarms }: EnvironmentSettings,
  account: string,
): Promise<Verdict> {
  const { monthlyDollars, email, topicArn } = alarms;
  const { Budgets = [] } = await budgets.send(new DescribeBudgetsCommand({ AccountId: account }));
  const known = Budgets.filter(({ BudgetType }) => BudgetType === 'COST').map(({ BudgetName }) => BudgetName ?? '');
  if (monthlyDollars !== undefined && (email !== undefined || topicArn !== undefined))
    return {
      ok: `the deployment creates one of ${monthlyDollars.account} US dollars; existing budgets: ${known.length}`,
    };
  if (known.length > 0) return { ok: known.join(', ') };
  return {
    error: 'the account has no budget: no alert reports its costs',
    cure: 'Set alarms.monthlyDollars, and alarms.email or alarms.topicArn.',
  };
}

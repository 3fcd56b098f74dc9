import { GetAccountCommand } from '@aws-sdk/client-api-gateway';
import { DescribeLimitsCommand } from '@aws-sdk/client-dynamodb';
import {
  GetAccountSettingsCommand,
  GetFunctionConcurrencyCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import {
  GetAWSDefaultServiceQuotaCommand,
  GetServiceQuotaCommand,
  NoSuchResourceException,
} from '@aws-sdk/client-service-quotas';
import { resourceName } from '#infra/resource-name.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import { neverReserved, startedByQueues } from '#infra/settings.ts';
import type { AccountClients } from './clients.ts';
import type { Check, Verdict } from './finding.ts';

/** The table of the stack, and a restored table beside it. */
const tablesNeeded = 2;

type Quota = { readonly name: string; readonly service: string; readonly code: string; readonly needed: number };

/** Limits of the account that the templates of the environment need. */
export function quotaChecks(clients: AccountClients, settings: EnvironmentSettings): readonly Check[] {
  const { throttling } = settings.api;
  const quotas: readonly Quota[] = [
    {
      name: 'Lambda: concurrent executions',
      service: 'lambda',
      code: 'L-B99A9384',
      needed: settings.functions.executions,
    },
    { name: 'API Gateway: requests a second', service: 'apigateway', code: 'L-8A5B8E43', needed: throttling.rate },
    { name: 'API Gateway: burst of requests', service: 'apigateway', code: 'L-CDF5615A', needed: throttling.burst },
    { name: 'DynamoDB: tables', service: 'dynamodb', code: 'L-F98FE922', needed: tablesNeeded },
  ];
  return [
    ...quotas.map((quota) => ({
      name: quota.name,
      action: 'servicequotas:GetServiceQuota and servicequotas:GetAWSDefaultServiceQuota',
      judge: async () => judgeQuota(quota, await quotaOf(clients, quota)),
    })),
    {
      name: 'Lambda: unreserved concurrency',
      action: 'lambda:GetAccountSettings and lambda:GetFunctionConcurrency',
      judge: () => judgeUnreserved(clients, settings),
    },
    {
      name: 'DynamoDB: capacity units of a table',
      action: 'dynamodb:DescribeLimits',
      judge: () => judgeUnits(clients, settings),
    },
    {
      name: 'API Gateway: role for CloudWatch logs',
      action: 'apigateway:GET on /account',
      judge: () => judgeLogRole(clients, settings),
    },
  ];
}

/** Returns the value of the account; a quota that was never raised may have only the default. */
async function quotaOf({ quotas }: AccountClients, { service, code }: Quota): Promise<number> {
  const asked = { ServiceCode: service, QuotaCode: code };
  try {
    return (await quotas.send(new GetServiceQuotaCommand(asked))).Quota?.Value ?? 0;
  } catch (error) {
    if (!(error instanceof NoSuchResourceException)) throw error;
    return (await quotas.send(new GetAWSDefaultServiceQuotaCommand(asked))).Quota?.Value ?? 0;
  }
}

function judgeQuota({ service, code, needed }: Quota, value: number): Verdict {
  if (value >= needed) return { ok: `${value}, ${needed} needed` };
  return {
    error: `${value}, ${needed} needed`,
    cure:
      `aws service-quotas request-service-quota-increase --service-code ${service} --quota-code ${code} ` +
      `--desired-value ${needed} (takes days)`,
  };
}

/**
 * Checks the concurrency that other services of the account leave. Their reservations leave less for the functions of
 * this environment, which reserve a part themselves.
 */
async function judgeUnreserved({ functions }: AccountClients, settings: EnvironmentSettings): Promise<Verdict> {
  const { provisioned = {}, reserved = {} } = settings.functions;
  const { AccountLimit } = await functions.send(new GetAccountSettingsCommand({}));
  const { ConcurrentExecutions: all = 0, UnreservedConcurrentExecutions: unreserved = 0 } = AccountLimit ?? {};
  const names = Object.keys(reserved).map((name) => resourceName(settings, name));
  const own = await Promise.all(names.map((name) => reservedOf(functions, name)));
  const left = own.reduce((sum, count) => sum + count, unreserved);
  // A reservation includes the instances that are ready, and what a queue starts.
  const wanted: Readonly<Record<string, number>> = { ...startedByQueues(settings), ...provisioned, ...reserved };
  const needed = Object.values(wanted).reduce((sum, count) => sum + count, neverReserved);
  const message = `${left} of ${all}, ${needed} needed`;
  if (left >= needed) return { ok: message };
  return {
    error: message,
    cure: 'Request a higher limit, or remove reserved concurrency of other functions (aws lambda delete-function-concurrency).',
  };
}

/** Returns what a function of this environment has reserved: nothing before its first deployment. */
async function reservedOf(functions: AccountClients['functions'], name: string): Promise<number> {
  try {
    const { ReservedConcurrentExecutions: reserved = 0 } = await functions.send(
      new GetFunctionConcurrencyCommand({ FunctionName: name }),
    );
    return reserved;
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
    return 0;
  }
}

async function judgeUnits({ tables }: AccountClients, { data }: EnvironmentSettings): Promise<Verdict> {
  const limits = await tables.send(new DescribeLimitsCommand({}));
  const { TableMaxReadCapacityUnits: reads = 0, TableMaxWriteCapacityUnits: writes = 0 } = limits;
  const { maxReadUnits = 0, maxWriteUnits = 0 } = data;
  const message = `${reads} read and ${writes} write units, ${maxReadUnits} and ${maxWriteUnits} needed`;
  if (reads >= maxReadUnits && writes >= maxWriteUnits) return { ok: message };
  return {
    error: message,
    cure: 'Request higher table-level limits of DynamoDB in Service Quotas, or lower data.maxReadUnits and data.maxWriteUnits.',
  };
}

/** Checks the role without which no stage with logs can be created. The environment that owns it creates it. */
async function judgeLogRole({ gateway }: AccountClients, { name, api }: EnvironmentSettings): Promise<Verdict> {
  const { cloudwatchRoleArn: role } = await gateway.send(new GetAccountCommand({}));
  const stage = `${name.charAt(0).toUpperCase()}${name.slice(1)}-`;
  if (!api.ownsGatewayLogRole)
    return role === undefined
      ? {
          error: 'the account has no role, and this environment creates none',
          cure: 'First deploy the environment that sets api.ownsGatewayLogRole, or set it in this environment.',
        }
      : { ok: role };
  if (role === undefined || role.includes(`:role/${stage}`)) return { ok: role ?? 'this deployment creates it' };
  return {
    error: `${role} already exists, and this deployment would replace it`,
    cure: 'Set api.ownsGatewayLogRole to false, unless the stack that created the role was deleted.',
  };
}
